#!/bin/sh
# Checks that what runs on macOS compiles for it: `scripts/macos.sh [TARGET…]`, by default both kinds of Mac.
# What that is stands in docs/guide/install.md. On Linux it needs Rust's library for the target, and zig, which has
# the headers of macOS, for the C of ring and nghttp2; where one is missing, that is said and nothing is checked.
set -eu
cd "$(dirname "$0")/.."

crates="-p loadrig-core -p loadrig-engine -p loadrig-protos -p loadrig-proxy -p loadrig-py -p loadrig-series"
[ $# -gt 0 ] || set -- aarch64-apple-darwin x86_64-apple-darwin

find_zig() {
    for python in .tools/wheels/bin/python .venv/bin/python; do
        if "$python" -c 'import ziglang' 2>/dev/null; then
            echo "$PWD/$python -m ziglang"
            return
        fi
    done
    command -v zig
}

compiler=""
if [ "$(uname)" != Darwin ]; then
    compiler=$(find_zig) || {
        echo "not checked for macOS: there is no zig (make wheels installs one)" >&2
        exit 0
    }
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for target; do
    if [ ! -d "$(rustc --print target-libdir --target "$target")" ]; then
        echo "not checked for $target: rustup target add $target" >&2
        continue
    fi
    if [ -n "$compiler" ]; then
        # Apple's options say again what the target does, and zig knows none of them.
        cat >"$folder/cc" <<EOF
#!/bin/sh
skips=0
for word; do
    shift
    if [ "\$skips" = 1 ]; then skips=0; continue; fi
    case \$word in
    -arch) skips=1 ;;
    -mmacosx-version-min=* | --target=* | -gfull) ;;
    *) set -- "\$@" "\$word" ;;
    esac
done
exec $compiler cc -target ${target%%-*}-macos "\$@"
EOF
        printf '#!/bin/sh\nexec %s ar "$@"\n' "$compiler" >"$folder/ar"
        chmod +x "$folder/cc" "$folder/ar"
        kind=$(echo "$target" | tr - _)
        export "CC_$kind=$folder/cc" "AR_$kind=$folder/ar"
    fi
    # shellcheck disable=SC2086 # one word a crate
    cargo check --locked --quiet --target "$target" $crates
    echo "compiles for $target"
done
