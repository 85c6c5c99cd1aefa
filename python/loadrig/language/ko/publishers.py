class KoreanPublishersTexts:
    influx = "HTTP 또는 파일로 보내는 InfluxDB line protocol"
    openmetrics = "Prometheus가 긁어 가는 페이지"
    otlp = "HTTP 또는 gRPC로 보내는 OpenTelemetry OTLP: 메트릭과 로그"
    no_grpc = (
        "gRPC로 OTLP를 보내려면 grpcio가 필요합니다: pip install 'loadrig[otlp]'를 하거나 HTTP로 보내십시오"
    )
    remote_write = "네이티브 히스토그램이 있는 Prometheus remote write"
    statsd = "태그가 있는 UDP StatsD"
    no_port = "{place!r}의 끝에 127.0.0.1:8125처럼 포트 번호가 있어야 합니다"
    no_file_or_url = "{place!r}: http://127.0.0.1:8086/write 같은 URL도 파일도 아닙니다"
    no_url = "{place!r}: {example} 같은 URL이 아닙니다"
    no_otlp_url = "{place!r}: http://127.0.0.1:4318이나 grpc://127.0.0.1:4317 같은 URL이 아닙니다"
    no_otlp_protocol = (
        "{variable}의 {value!r}은(는) 지원하지 않습니다. {spoken} 가운데 하나를 넣거나 값을 없애십시오"
    )
    no_grpc_place = "{place!r}: 경로 없이 grpc://127.0.0.1:4317처럼 쓴 gRPC 주소가 아닙니다"
    is_gone = "{receiver}에 보낼 수 없습니다 ({why}). 실행은 계속되며, 다시 시도합니다"
