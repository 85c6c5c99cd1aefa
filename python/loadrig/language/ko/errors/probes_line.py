from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle

_BUSY = "떠 있는지, 무엇으로 바쁜지, CPU를 다 쓰지 않았는지 살펴보십시오"
_STOPPED = "떠 있는지, 왜 멈췄는지 살펴보십시오"


class KoreanProbesLineErrors:
    address_unknown = ErrorWords(
        what="{component}의 주소를 알 수 없습니다",
        mend="probes 아래에 `- {probe}: {{at: HOST:{port}}}`를 쓰십시오",
    )
    not_an_address = ErrorWords(
        what="{shown:은} 주소가 아닙니다",
        mend="probes 아래에 `- {probe}: {{at: HOST:{port}}}` 또는 Unix 소켓의 경로를 쓰십시오",
    )
    no_answer_within = ErrorWords(what="{server:이} {limit_s} s 안에 응답하지 않았습니다", mend=_BUSY)
    unreachable = ErrorWords(what="{server}에 연결할 수 없습니다: {why}", mend=_STOPPED)

    def connection_closed(self, server: str, why: str = "") -> ErrorWords:
        reason = f": {why}" if why else ""
        return ErrorWords(what=f"{with_particle(server, '이')} 커넥션을 닫았습니다{reason}", mend=_STOPPED)

    no_answer = ErrorWords(what="{server:이} 응답하지 않습니다: {why}", mend=_STOPPED)
    connections_used_up = ErrorWords(
        what="{server}에 남은 커넥션이 없습니다: {why}",
        mend="커넥션을 닫거나 max_connections를 올리십시오",
    )


class KoreanProbesPagesErrors:
    not_accepted = ErrorWords(what="{base:이} 제때 연결을 받지 않습니다", mend=_BUSY)
    page_late = ErrorWords(what="{page:이} 제때 응답하지 않습니다", mend=_BUSY)

    def page_too_long(self, page: str, most_mib: str) -> ErrorWords:
        return ErrorWords(
            what=f"{page}의 응답이 {with_particle(f'{most_mib} MiB', '를')} 넘습니다",
            mend="다른 페이지를 지정하십시오",
        )

    page_cut_short = ErrorWords(
        what="{page:이} 너무 일찍 끝났습니다: {missing}바이트가 모자랍니다",
        mend=_STOPPED,
    )
    not_a_url = ErrorWords(
        what="{shown:은} URL이 아닙니다",
        mend="probes 아래에 `- {probe}: {{{option}: http://127.0.0.1:9090/…}}`를 쓰십시오",
    )
