"""Sentences of `publishers` in English: titles of the formats, and what is wrong with a place."""


class PublishersTexts:
    influx = "InfluxDB line protocol, over HTTP or into a file"
    openmetrics = "a page that Prometheus scrapes"
    otlp = "OpenTelemetry's OTLP over HTTP or gRPC: metrics and logs"
    no_grpc = "OTLP over gRPC needs grpcio: pip install 'loadrig[otlp]', or send it over HTTP"
    remote_write = "Prometheus's remote write, with native histograms"
    statsd = "StatsD over UDP, with tags"

    def no_port(self, place: str) -> str:
        return f"{place!r} does not end in the number of a port, such as 127.0.0.1:8125"

    def no_file_or_url(self, place: str) -> str:
        return f"{place!r} is neither a URL, such as http://127.0.0.1:8086/write, nor a file"

    def no_url(self, place: str, example: str) -> str:
        return f"{place!r} is no URL, such as {example}"

    def no_otlp_url(self, place: str) -> str:
        return f"{place!r} is no URL, such as http://127.0.0.1:4318 or grpc://127.0.0.1:4317"

    def no_otlp_protocol(self, variable: str, value: str, spoken: str) -> str:
        return f"{variable} is {value!r}, which is not spoken; put one of {spoken}, or unset it"

    def no_grpc_place(self, place: str) -> str:
        return f"{place!r} is no address of gRPC, such as grpc://127.0.0.1:4317, which has no path"

    def is_gone(self, receiver: str, why: str) -> str:
        return f"{receiver} does not take what it is sent ({why}); the run goes on, and it is tried again"
