#!/bin/sh
# Commands that were copied from a browser, and written by hand.
BASE=http://127.0.0.1:8099
curl 'http://127.0.0.1:8099/items?page=2&q=caf%C3%A9' \
  -H 'accept: text/html,application/xhtml+xml' \
  -H 'accept-language: ko-KR,ko;q=0.9,en;q=0.8' \
  -H 'cache-control: no-cache' \
  -b 'sid=0a1b2c; theme=dark' \
  -H 'referer: http://127.0.0.1:8099/' \
  -H 'sec-ch-ua: "Chromium";v="130", "Not?A_Brand";v="99"' \
  -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64)'
curl 'http://127.0.0.1:8099/api/orders' -X POST -H 'content-type: application/json' --data-raw $'{"name":"Jos\u00e9 \u0021","note":"it\'s\\n{}","n":1}' --insecure
curl -sSXPUT "$BASE/api/orders/7" -d @beside/data.txt -d 'e=two words'
curl -s --data-binary @beside/data.txt -H 'Content-Type: text/plain' $BASE/raw
curl $BASE/encode --data-urlencode 'a=b c*~é+/' --data-urlencode 'x y' --data-urlencode '=z&z' --data-urlencode n@beside/data.txt
curl -G $BASE/find -d lang=ko --data-urlencode 'q=two words' '-HX-Empty;'
curl --json '{"a"' --json ':[1,{"b":2}]}' $BASE/json
curl -F 'text=a "b"; c' -F 'page=<beside/data.txt' -F 'pic=@beside/dot.png;type=image/x-own;filename="o.png"' \
     -F "meta={\"x\":1};type=application/json" --form-string 's=@x;y' $BASE/upload
curl -F a=b -F 'f=@"beside/data.txt"' -H 'Content-Type: multipart/form-data' $BASE/form
curl -u 'user:pa ss' -e 'http://127.0.0.1:8099/from;auto' -A agent/1 -r 0-99 $BASE/login
curl --oauth2-bearer t0ken -b a=1 -b b=2 "$BASE/a/../b/./c|?d=/../e#fragment"
curl -I $BASE/head
curl -X DELETE $BASE/gone -o /dev/null -w '%{http_code}\n' 2>/dev/null
curl -T beside/dot.png $BASE/put/ -H 'Expect:'
curl -d '' $BASE/empty --next -g "$BASE/braces/{a}[1-2]" $BASE/second
curl -d @- $BASE/here <<EOF
{"here": "document"}
EOF
curl -H 'Content-Type:' -d a -d '' -d b $BASE/untyped
curl -g "$BASE/?x&" --url-query 'a=b c' --url-query '+x=%20' -X OPTIONS
curl -X PATCH --data-ascii 'x={{y}}' $BASE/patch?z -H 'X-Braces: {a}'
