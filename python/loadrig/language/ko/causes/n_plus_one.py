from loadrig.language.en.causes.n_plus_one import NPlusOneTexts


class KoreanNPlusOneTexts(NPlusOneTexts):
    title = "요청마다 작은 조회를 하나씩 여러 번 보냅니다(N + 1)"
    by_pipeline = "MGET 또는 pipeline"
    by_list = "목록을 받는 호출 하나, 또는 호출을 나란히"
    in_pieces = "(각각 한 조각으로 보낸다면)"
    by_join = "JOIN이나 WHERE id IN (…), ORM의 eager loading"
    kind_unread = ": 쿼리가 몇 개인지는 pg_stat_statements로 알 수 있습니다"

    def round_trips(self, number: str, to: str) -> str:
        return f"요청당 {to} 왕복 {number}회"

    def most_are(self, statement: str) -> str:
        return f", 대부분 {statement}"

    def alike_at_most(self, share: str) -> str:
        return f"서로 같은 것은 많아야 {share}입니다"

    def mend(self, together: str) -> str:
        return f"한꺼번에 조회하십시오: {together}"

    def decides(self, to: str, number: str) -> str:
        return f"{to} 앞에 1 ms의 지연을 넣으면 요청이 {number} ms 느려집니다"

    def asks(self, number: str, what: str, to: str) -> str:
        return f"요청마다 {to}에 보내는 {what}: {number}회"

    def made_again(self, number: str) -> str:
        return f"요청마다 트랜잭션 {number}개가 롤백됩니다: 그 쿼리를 다시 요청하는 것입니다"

    def costs(self, cpu: str) -> str:
        return f"한 번에 드는 CPU 시간은 {cpu}입니다"

    def cpu_unseen(self, program: str) -> str:
        return f"{program}의 CPU는 관찰되지 않았습니다"

    def woken(self, times: str) -> str:
        return f"요청마다 {times}번 깨어났습니다: 묶음으로 오는지는 클라이언트의 코드에서 알 수 있습니다"
