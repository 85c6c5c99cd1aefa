# The container image of loadrig, from a wheel in dist/ (`make wheels`, or a published one):
#     docker build -t loadrig .
# `make image` builds it where no registry of images can be reached: its own root, then all that stands below
# the line "In common". Which rights a container needs, and for what, stands in docs/guide/install.md.
ARG PYTHON=python:3.13-slim

FROM ${PYTHON} AS installed
COPY locks/run.txt dist/*.whl /tmp/
# All packages by their hashes; the tests of numpy and scipy are a tenth of the image, and nobody runs them.
RUN python -m venv /opt/loadrig \
    && /opt/loadrig/bin/pip install --no-cache-dir --no-deps --require-hashes -r /tmp/run.txt \
    && /opt/loadrig/bin/pip install --no-cache-dir --no-deps --no-index "$(ls /tmp/*_$(uname -m).whl)" \
    && find /opt/loadrig -depth -type d -name tests -exec rm -r {} +

FROM ${PYTHON}
COPY --from=installed /opt/loadrig /opt/loadrig
RUN groupadd --gid 65532 loadrig && useradd --uid 65532 --gid 65532 --create-home loadrig \
    && mkdir /data && chown loadrig:loadrig /data
ENV PATH=/opt/loadrig/bin:/usr/local/bin:/usr/bin:/bin

# In common
LABEL org.opencontainers.image.title="loadrig" org.opencontainers.image.licenses="Apache-2.0"
ENV LANG=C.UTF-8 PYTHONUNBUFFERED=1 XDG_STATE_HOME=/tmp/state
USER 65532:65532
WORKDIR /data
VOLUME /data
STOPSIGNAL SIGINT
ENTRYPOINT ["loadrig"]
CMD ["--help"]
