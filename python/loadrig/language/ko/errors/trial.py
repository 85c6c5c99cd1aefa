from loadrig.base.error_words import ErrorWords


class KoreanTrialDeathErrors:
    def target_died(self, sentence: str, has_log: bool) -> ErrorWords:
        return ErrorWords(
            what=sentence,
            mend="위의 마지막 로그를 보십시오. 로그 전체는 trial 폴더의 target.log에 있습니다"
            if has_log
            else "서버 자체의 로그를 보고 서버를 다시 시작하십시오",
            why="그때까지 측정한 것은 남아 있습니다",
        )


class KoreanTrialCourseErrors:
    interrupted = ErrorWords(
        what="부하를 거는 동안 {how} 중단했습니다",
        mend="다시 실행하십시오. study는 멈춘 곳에서 이어 갑니다: loadrig run RUN --resume",
        why="그때까지 측정한 것은 남아 있습니다",
    )


class KoreanTrialFurtherServersErrors:
    no_connection = ErrorWords(
        what="서버 {name}({address})이 커넥션을 받지 않습니다: {reason}",
        mend="먼저 시작하거나 주소를 고치십시오: servers: {{{name}: http://HOST:PORT}}",
        why="plan의 요청이 그 서버로 가며, 모두 실패할 것입니다",
    )


class KoreanTrialSplitErrors:
    nothing_answered = ErrorWords(
        what="내장 서버가 부하 발생기에 응답하지 않아 보정하지 못했습니다",
        mend="프로세스가 127.0.0.1에 연결할 수 있게 하고(방화벽이 막을 수 있습니다) 다시 해 보십시오",
    )


class KoreanTrialTakingErrors:
    empty_profile = ErrorWords(
        what="{seconds} s 동안 실행 중인 스레드를 보지 못했습니다",
        mend="서버에 부하를 더 거십시오",
    )
