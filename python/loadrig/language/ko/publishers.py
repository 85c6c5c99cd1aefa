from loadrig.language.en.publishers import PublishersTexts


class KoreanPublishersTexts(PublishersTexts):
    influx = "HTTP 또는 파일로 보내는 InfluxDB line protocol"
    openmetrics = "Prometheus가 긁어 가는 페이지"
    otlp = "HTTP로 보내는 OpenTelemetry OTLP: 메트릭과 로그"
    remote_write = "네이티브 히스토그램이 있는 Prometheus remote write"
    statsd = "태그가 있는 UDP StatsD"

    def no_port(self, place: str) -> str:
        return f"{place!r}의 끝에 127.0.0.1:8125처럼 포트 번호가 있어야 합니다"

    def no_file_or_url(self, place: str) -> str:
        return f"{place!r}: http://127.0.0.1:8086/write 같은 URL도 파일도 아닙니다"

    def no_url(self, place: str, example: str) -> str:
        return f"{place!r}: {example} 같은 URL이 아닙니다"

    def is_gone(self, receiver: str, why: str) -> str:
        return f"{receiver}에 보낼 수 없습니다 ({why}). 실행은 계속되며, 다시 시도합니다"
