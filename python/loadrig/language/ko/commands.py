"""Help of the commands in Korean, by the command's name: the English text stands in the command's file."""

PAGES: dict[str, str] = {
    "attack": """
URL에 부하를 걸고 어떻게 동작하는지 알려 줍니다: 처리량, 지연 시간, 결과, 그리고 믿어도 되는지.

  loadrig attack http://127.0.0.1:8000/ -c 20 -z 10s         사용자 20명이 쉬지 않고 10초 동안
  loadrig attack http://127.0.0.1:8000/ --rate 500/1s        응답 여부와 상관없이 초당 요청 500건
  loadrig attack http://127.0.0.1:8000/ -m POST -d @body.json -H 'Content-Type: application/json'
  loadrig attack http://127.0.0.1:8000/ --print-plan         같은 일을 하는 plan 파일, 여기서 이어 갈 수 있습니다

이 머신에서 그 포트를 여는 프로세스와 worker, 그 프로세스가 통신하는 상대를 스스로 찾아 관찰합니다.
Ctrl-C를 눌러도 그때까지 측정한 것은 남습니다. 다른 호스트에는 --allow HOST를 쓰십시오.
""",
    "capacity": """
서버가 목표를 지키며 감당하는 최대 부하를 찾고, 얼마나 확실한지, 그 너머에서 어떻게 되는지 알려 줍니다.

  loadrig capacity http://127.0.0.1:8000/ --goal 'p99 < 200ms' --goal 'errors < 0.1%'
  loadrig capacity http://127.0.0.1:8000/ --goal 'p95 < 1s' -c 5     요청률 대신 사용자 수로, 5명부터
  loadrig capacity plan.yaml                                         plan의 서버와 요청으로
  loadrig capacity plan.yaml --nodes 2                               knob의 값들을, 동시에 둘씩
  loadrig capacity URL --goal 'p99 < 200ms' --print-plan             같은 일을 하는 plan 파일

2분짜리 실행 한 번 안에서 부하를 조절합니다. 서버가 따라오지 못할 때까지 올리고, 한계를 알 때까지 그 근처에
머물고, 마지막 몇 초 동안 한계를 넘깁니다(--no-overload는 이를 생략). 종료 코드 99: 목표를 만족하는 부하가
없음, 112: 한계를 찾지 못함, 111: 부하 발생기가 한계였음.
""",
    "check": """
plan을 검사합니다: 무엇을 할 것인지, 또는 잘못된 것 전부를 문장으로 알려 줍니다. 아무것도 시작하지 않습니다.

  loadrig check plan.yaml                  설명, 또는 모든 문제와 그 위치, 고치는 방법
  loadrig check plan.yaml --json           기계가 읽을 형식으로
  loadrig check --schema > plan.json       편집기에서 쓸 plan의 JSON Schema
""",
    "compare": """
B가 A보다 나은지 나쁜지, 지표별·경로별로, 얼마나 확실한지와 함께 알려 줍니다.

  loadrig compare runs/before runs/after                  실행 두 개, 또는 실행 폴더 두 개
  loadrig compare runs/shop#0 runs/shop#3                 한 study의 설정 두 개를 블록별로
  loadrig compare a1,a2,a3 b1,b2,b3                       각각 여러 실행, 번갈아: a1 b1 a2 b2 ...
  loadrig compare runs/before runs/after --markdown summary.md --junit report.xml
  loadrig compare runs/shop nightly.jtl                   JMeter, vegeta, k6의 결과를 그대로
  loadrig compare runs/before runs/after --measure p99 --equal-within p99=10%

한쪽은 실행, study(base 설정 또는 # 뒤의 설정), trial 하나, 여러 실행, 또는 `loadrig import`가 읽는 파일입니다.
번갈아 실행한 것은 쌍으로 비교하고, 따로 실행한 것은 아무것도 바꾸지 않았을 때 실행끼리 얼마나 다른지 아는
만큼만 비교합니다. 같은 plan의 이전 실행이 A 옆에 있으면 그것을 알려 줍니다(--history).

종료 코드: 0 낫거나 같음, 113 나쁨, 112 판단할 수 없음, 104 비교할 수 없음, 111 모든 trial이 무효.
""",
    "completion": """
셸이 명령, 옵션, 구성원과 파일의 이름을 자동 완성하는 데 필요한 것을 출력합니다.

  eval "$(loadrig completion bash)"                       ~/.bashrc에
  loadrig completion zsh > ~/.zfunc/_loadrig              $fpath의 폴더에, compinit보다 먼저
  loadrig completion fish > ~/.config/fish/completions/loadrig.fish

그 뒤로 셸은 loadrig 자신에게 물으므로, 새 버전을 설치해도 다시 만들 필요가 없습니다.
""",
    "diagnose": """
실행 기록만으로 무엇이 서버의 한계인지 알려 줍니다. --prove를 붙이면 실험으로 증명합니다.

  loadrig diagnose runs/2025-01-31-120000-shop                  원인들, 가능성이 큰 순서로
  loadrig diagnose runs/2025-01-31-120000-shop/trials/0003      실행의 trial 하나에 대해
  loadrig diagnose runs/2025-01-31-120000-shop --all            배제된 원인까지 모두
  loadrig diagnose runs/2025-01-31-120000-shop --json | jq .    기계가 읽을 진단 결과
  loadrig diagnose runs/2025-01-31-120000-shop --prove          한 번에 하나씩 바꾸며 무엇이 달라지는지

계산과 징후가 모두 맞으면 `likely`(유력), 일부를 보지 못했으면 `possible`(가능), 실험이 그것을 움직였을 때만
`named`(증명됨)입니다. 아무 원인도 서지 않으면 무엇이 결정해 줄지 알려 줍니다.

--prove는 실행의 plan대로 서버를 다시 시작하고 부하를 걸면서, 섞인 블록 안에서 한 번에 하나씩 바꿉니다: CPU,
의존 서비스로 가는 길, 설정 항목, 부하의 모양. loadrig가 시작한 것과 plan이 이름으로 허용한 것
(prove: {allow: [mariadb]})만 건드리며, 강제 종료된 뒤에도 모두 되돌립니다.
도중에 끊긴 증명은 처음부터 다시 하고, 이전 것은 RUN/proof-earlier-1에 남습니다.
종료 코드 120: 실행이나 증명 중에 부하를 받던 서버가 죽음.
""",
    "discover": """
이 머신의 서버를 살펴봅니다: 무엇이고, 어떻게 설정되어 있으며, 무엇과 통신하는지.

  loadrig discover http://127.0.0.1:8000/       그 포트를 여는 프로세스와 의존 서비스
  loadrig discover :8000 --for 10s              더 오래 보기: 그동안 연결된 것만 찾을 수 있습니다
  loadrig discover --pid 4711 --json            프로세스 트리의 한 프로세스로; 기계가 읽을 형식
  loadrig discover :8000 --as-plan > plan.yaml  이어서 쓸 plan

아무것도 바꾸거나 시작하거나 보내지 않고 모두 /proc에서 읽습니다. 비밀번호, 토큰, 키는 가립니다.
커넥션은 부하가 있을 때만 있을 수 있으니 그동안 요청을 보내 두십시오.
""",
    "doctor": """
이 머신과, 강제 종료된 loadrig가 남긴 것을 점검합니다.

  loadrig doctor               무엇이 괜찮고 무엇이 아닌지, 어떻게 고치는지
  loadrig doctor --clean       남은 것을 되돌립니다: 변경, 프로세스, cgroup, 데이터
  loadrig doctor --calibrate   여기서 부하 발생기가 낼 수 있는 최대를 잽니다(검사 G10, G13용)
  loadrig doctor --json        기계가 읽을 형식으로

아직 돌고 있는 loadrig나 다른 호스트, 다른 컨테이너, 다른 사용자의 것은 건드리지 않고, 그대로 두었다고
표시합니다. 시작 시각이나 환경 변수의 표식으로 우리가 시작한 바로 그 프로세스임이 확인될 때만 멈춥니다.
""",
    "explain": """
loadrig의 용어, 오류 코드, plan의 키, 설정 항목, 검사, 지표, 형식, 명령이 무엇인지 설명합니다.

  loadrig explain arrival model            용어집의 낱말
  loadrig explain plan.unknown-key         오류: 뜻, 예, 고치는 방법
  loadrig explain p95                      지표: 무엇이고, 어떻게 계산하며, 언제 오해를 부르는지
  loadrig explain database_cpu             원인: 징후, 판가름하는 실험, 혼동하기 쉬운 것
  loadrig explain gunicorn.workers         설정 항목: 무엇을 하고, 언제 중요하며, 범위와 기본값
  loadrig explain trial.measure            plan의 키: 쓸 수 있는 것, 기본값, 예
  loadrig explain G7                       loadrig 자신의 검사: 무엇을 보고, 어떻게 고치는지
  loadrig explain http_5xx                 요청의 결과: 무슨 뜻이고 어디를 볼지
  loadrig explain load.sent                부하의 값: 파일과 모니터링이 쓰는 이름으로
  loadrig explain process.threads          프로브의 지표: 무엇이고 단위가 무엇인지
  loadrig explain poisson                  값: plan의 어느 키가 받고, 그 키가 무엇을 하는지
  loadrig explain k6                       그 이름의 형식: 무엇을 읽고 쓰고 바꾸며, 무엇이 빠지는지
  loadrig explain cpu_quota                증명이 바꾸는 것, 또는 프로파일러: 무엇이 필요하고 얼마가 드는지
  loadrig explain capacity                 명령: 그 도움말; 같은 이름의 전략과 낱말도 함께
  loadrig explain gc-thrash                lab: 무엇이 잘못되어 있는지, 그리고 그 plan들
  loadrig explain 99                       종료 코드: 무엇을 말하는지
  loadrig explain --list                   설명할 수 있는 모든 것
""",
    "history": """
한 plan의 실행들을 시간순으로 보여 주고, 지표의 수준이 어디서 바뀌었는지 알려 줍니다.

  loadrig history                                   runs/ 아래, 가장 최근 실행의 plan
  loadrig history --plan shop --measure p99         plan 하나의 지표 하나
  loadrig history nightly/ --newest 5               다른 폴더; 최근 5개 실행 안의 변화만 새 소식
  loadrig history nightly/ --junit history.xml      파이프라인용, --markdown, --html과 함께
  loadrig history --json | jq '.courses[].changes'  기계가 읽을 형식

변화를 잡음과 구별하려면 앞뒤로 실행이 세 개씩 필요합니다. 설정이나 부하가 최근 것과 다른 실행, 무효인
실행은 뺍니다. 머신이 바뀌면서 생긴 변화는 보여 주되 세지 않습니다.

종료 코드: 0 변화 없음 또는 나아짐, 113 최근 실행부터 나빠짐, 112 실행이 너무 적음.
""",
    "export": """
실행 하나를 다른 도구가 읽는 형식으로 씁니다. 새로 재는 것은 없습니다.

  loadrig export runs/2025-01-31-120000-shop --to jtl -o shop.jtl       그다음 jmeter -g shop.jtl -o page
  loadrig export runs/2025-01-31-120000-shop --to vegeta -o - | vegeta report
  loadrig export runs/2025-01-31-120000-shop --to parquet -o shop.parquet
  loadrig export runs/2025-01-31-120000-shop/trials/0003 --to hlog -o shop.hlog
  loadrig export runs/2025-01-31-120000-shop --to github -o -           파이프라인의 주석

형식: csv, parquet, influx는 모든 시계열, hlog는 히스토그램, jtl과 vegeta는 요청마다 한 행, jplot은 구간마다
한 줄, k6와 openmetrics는 합계, markdown, junit, github, gitlab은 결과를 담습니다. 기록은 요청을 구간별로 세며
요청 하나하나는 담지 않습니다. jtl과 vegeta의 행은 이 개수로 만든 것이고, 파일에도 그렇게 적혀 있습니다.
형식마다 무엇이 있고 없는지: docs/reference/exporters.md.

종료 코드: 0 씀, 104 실행이 아니거나 없는 형식, 111 파일을 쓸 수 없음.
""",
    "import": """
다른 도구의 테스트로 plan을, 또는 그 결과로 실행을 만듭니다. 어느 쪽인지는 내용으로 알아내고 알려 줍니다.

  loadrig import shop.jmx -o shop.yaml                JMeter의 테스트 계획이 plan이 됩니다
  loadrig import api.yaml -o api-plan.yaml            OpenAPI 문서가 plan이 됩니다
  loadrig import shop.json test.json -o shop.yaml     Postman의 collection과 그 environment
  loadrig import shop.json logins.csv -o shop.yaml    또는 newman -d가 받는 데이터 파일과 함께
  loadrig import shop.har --host api.example.com      브라우저의 기록, 다른 호스트로 간 요청까지
  loadrig import shop.jmx -J users=50                 JMeter의 속성, jmeter -J처럼 줍니다
  loadrig import access.log -o shop/                  액세스 로그도 plan이 되고, 값은 그 옆에 놓입니다
  loadrig import nightly.jtl                          JMeter의 결과(CSV 또는 XML)가 실행이 됩니다
  loadrig import results.json -o runs/vegeta          vegeta encode --to json (또는 csv)
  loadrig import k6.json.gz --name shop               k6 run --out json=k6.json.gz
  loadrig import simulation.log                       Gatling의 텍스트 또는 바이너리 로그
  loadrig import wrk.txt                              wrk, ab, hey, oha, siege가 출력한 것: 합계만
  loadrig import one.jtl two.jtl                      부하 하나를 두 발생기가 만든 경우
  loadrig import k6.json --route 'GET /search=search'  그다음 loadrig compare runs/shop runs/NEW

plan은 말할 수 있는 것을 말합니다. 말할 수 없는 것은 자리마다 적어, plan에는 주석으로, 여기에는 개수와 함께
보여 줍니다. loadrig check PLAN과 loadrig run PLAN --dry로 살펴보십시오.

도구 대부분은 요청을 보낸 때부터 시간을 재므로 실행에는 서비스 시간만 있고 응답 시간은 없습니다. 부하를 제때
보냈는지 알려 주지 않으므로 결코 유효로 판정되지 않습니다. 파일에 없는 것(CPU, 커넥션, 요청받은 부하)은 0이
아니라 없음입니다.

종료 코드: 0 가져옴, 버린 부분이 있어도; 104 테스트로도 결과로도 읽을 수 없는 파일, 또는 plan의 자리가
이미 차 있음; 111 실행을 쓸 수 없음.
""",
    "init": """
이 머신의 서버를 찾아 첫 plan을 씁니다. 그 plan은 `loadrig check`를 통과합니다.

  loadrig init                                     무엇이 포트를 여는지 보여 주고, 묻고, loadrig.yaml을 씁니다
  loadrig init http://127.0.0.1:8000/cart          이 서버를 위해, 이 요청으로
  loadrig init :8000 --users 50 --goal 'p95 < 500ms' -o shop.yaml --yes

묻는 것은 터미널에서뿐입니다. 다른 곳에서는, 그리고 --yes와 함께면 플래그와 기본값을 씁니다. 보는 것은
/proc뿐이며 서버에는 아무것도 보내지 않습니다. 이미 있는 파일은 덮어쓰지 않습니다.
""",
    "lab": """
함께 제공되는 병든 서버를 돌리고 진단이 맞는지 봅니다.

  loadrig lab list                             무엇이 있고, 각각 설치되지 않은 무엇이 필요한지
  loadrig lab show redis-connections           이야기, plan, 필요한 것
  loadrig lab setup redis-connections          필요한 것을 설치합니다(Debian, Ubuntu); 입력하는 명령을 보여 줍니다
  loadrig lab run redis-connections            병든 plan: 부하를 걸고, 진단하고, 정답과 비교
  loadrig lab run redis-connections:pooled     다른 plan
  loadrig lab run redis-connections:my.yaml    직접 쓴 plan을 lab의 서버에서
  loadrig lab run redis-connections --prove    실험으로 증명하고 조치까지 검증
  loadrig lab start redis-connections          띄우기만 합니다; Ctrl-C까지 떠 있으니 직접 부하를 걸어 보십시오

실행은 5분 안에, --short를 붙이면 1분 안에 끝나며 `right:` 또는 `wrong:`을 출력합니다. `run`의 종료 코드:
0 맞음, 99 틀림, 111 trial이 무효, 120 필요한 것이 없거나 뜨지 않았거나 죽음.
""",
    "man": """
loadrig나 명령 하나의 설명서를 출력하거나, 모두를 씁니다.

  loadrig man attack | man -l -                     하나를 읽습니다
  loadrig man -o ~/.local/share/man/man1            모두 씁니다; 그 뒤에는: man loadrig-attack

설치된 명령들로 만들며, --help와 같은 것을 알려 줍니다.
""",
    "publish": """
돌고 있는 실행을 매초 모니터링에 알립니다.

  loadrig publish --to openmetrics=9464                 최근 실행; http://127.0.0.1:9464/metrics 를 긁어 가십시오
  loadrig publish runs/shop --to statsd=127.0.0.1:8125
  loadrig publish --to openmetrics=9464 --to statsd=127.0.0.1:8125    둘 다
  loadrig attack URL --out openmetrics=9464             실행과 함께 시작하고 끝남

별도의 프로세스가 가장 낮은 우선순위로 실행 폴더를 읽으며, 실행이 끝나면 함께 끝납니다. 받는 쪽이 부하를 늦출
수는 없습니다. 받는 쪽이 사라지면 한 번 알리고 매초 다시 시도합니다.
주소를 주지 않는 한 이 머신 밖에 열거나 보내지 않습니다.
형식마다 무엇을 알리는지: docs/reference/publishers.md.

종료 코드: 0 실행이 끝남 또는 Ctrl-C, 104 돌고 있는 것이 없거나 잘못된 위치.
""",
    "report": """
실행 폴더만으로 보고서를 다시 씁니다. 아무것도 측정하지 않습니다.

  loadrig report runs/2025-01-31-120000-shop                  폴더에 report.html을 씁니다
  loadrig report runs/2025-01-31-120000-shop --text           대신 요약을 출력합니다
  loadrig report runs/2025-01-31-120000-shop/trials/0003      실행의 trial 하나에 대해
  loadrig report runs/2025-01-31-120000-shop --json | jq .    기계가 읽을 결과

페이지는 네트워크가 필요 없는 파일 하나이며, 같은 폴더는 언제나 같은 페이지를 냅니다.
""",
    "run": """
plan에 적힌 것을 실행합니다: trial 하나, 또는 서버의 설정 항목에 대한 study.

  loadrig run plan.yaml                    실행합니다; Ctrl-C를 눌러도 끝난 것은 남습니다
  loadrig run plan.yaml --resume           멈춘 곳에서 이어 갑니다
  loadrig run runs/2025-01-31-shop         실행의 plan을 새 폴더에서 다시 한번
  loadrig run runs/2025-01-31-shop --resume    어떤 명령으로 시작했든 그 실행을 이어 갑니다
  loadrig run plan.yaml --budget 40m       더 늦게 끝날 trial은 시작하지 않고, 아는 것으로 판정합니다
  loadrig run plan.yaml --dry              무엇을 얼마나 오래 실행할지 알려 주고, 보낼 바이트를 보여 줍니다

실행 폴더에는 plan, 모든 trial의 기록, result.json, report.html이 있습니다.
""",
    "runs": """
폴더 아래의 실행을 최근 것부터 나열합니다: 각각 무엇이었고, 결론이 무엇이었는지.

  loadrig runs                          runs/ 아래의 최근 실행
  loadrig runs shop host_cpu            두 낱말이 모두 있는 것: plan, 주소, 경로, 라벨, 판정, 원인에서
  loadrig runs 2026-11 --without void   11월의 것, 무효는 빼고
  loadrig runs 5dd4ec34                 어느 커밋의 것: 앞자리 일곱 글자 이상
  loadrig runs --in nightly --most 100  다른 폴더에서, 더 많이
  loadrig runs --json | jq '.[].id'     기계가 읽을 형식

라벨 달기, 고정, 삭제는 브라우저에서 합니다: loadrig ui.

종료 코드: 0 나열함(찾은 것이 없어도), 104 그런 폴더가 없음.
""",
    "soak": """
서버에 몇 시간 동안 부하를 걸고, 무엇이 늘어나고, 서서히 변하고, 주기적으로 떨어지거나 끊기는지 알려 줍니다.

  loadrig soak plan.yaml --for 4h                                        plan의 부하
  loadrig soak http://127.0.0.1:8000/ -q 100/1s --for 1h                 주소 하나
  loadrig soak plan.yaml --for 4h --goal 'p95 < 500ms for 30s'           30초마다 지켜야 할 목표
  loadrig soak plan.yaml --for 4h --whole                                무엇을 알게 되든 끝까지
  loadrig soak plan.yaml --for 4h --matrix --nodes 4                     모든 설정을, 동시에 넷씩

답이 확실해지면 시간 전에 끝납니다: 크기를 아는 누수, 또는 문제될 만한 누수가 없음. 종료 코드 99: 무언가
새거나 목표가 깨짐, 112: 아직 말할 수 없음.
""",
    "spike": """
서버에 몇 초 동안 평소의 몇 배 부하를 걸고, 회복하는 데 얼마나 걸리는지 알려 줍니다.

  loadrig spike plan.yaml                                      plan 부하의 5배를 10초 동안
  loadrig spike http://127.0.0.1:8000/ -q 50/1s --times 8      초당 50건의 8배
  loadrig spike plan.yaml --for 30s --after 5m                 더 오래, 더 오래 지켜보기

종료 코드 99: 서버가 스스로 회복하지 못하거나 목표를 놓침, 112: 관찰이 끝날 때까지 회복하지 못했거나 본 것이
너무 적음.
""",
    "steer": """
다른 터미널에서 돌고 있는 실행을 조작합니다: 일시 정지, 부하 변경, 조기 종료, 이벤트 표시.

  loadrig steer level 200                     runs/ 아래 최근 실행: 초당 요청 200건, 또는 사용자 200명
  loadrig steer pause                         아무것도 보내지 않습니다; loadrig steer resume으로 계속
  loadrig steer end                           지금 부하를 끝내고 측정한 것은 남깁니다
  loadrig steer mark "deployed version 2.1"   수치 옆에 이벤트를 남깁니다
  loadrig steer end --run runs/shop           다른 실행

바꿀 때마다 워밍업을 다시 합니다. 수치는 마지막 부하의 것이고, 결과에 그렇게 적힙니다.
한 수준의 trial 하나만 바꾸거나 멈출 수 있으며, 조기 종료와 표시는 어느 실행에나 할 수 있습니다.

종료 코드: 0 수행함, 112 거절되었거나 대답이 없음, 104 거기서 도는 것이 없음.
""",
    "tune": """
plan의 설정 항목에서 목표를 지키는 최선의 설정을, 격자 탐색보다 훨씬 적은 trial로 찾습니다.

  loadrig tune plan.yaml                          목표를 만족하는 최대 처리 용량
  loadrig tune plan.yaml --objective memory       목표를 만족하는 최소 메모리
  loadrig tune plan.yaml --front memory           트레이드오프: 둘 다에서 더 나은 설정이 없는 것들
  loadrig tune plan.yaml --budget 40m             확인 단계가 들어갈 수 있는 동안만 탐색
  loadrig tune plan.yaml --resume                 멈춘 곳에서 이어 갑니다
  loadrig tune plan.yaml --dry                    무엇을 얼마나 오래 실행할지

아무것도 바꾸지 않는 항목을 먼저 찾아 제쳐 두고, 다음에 시험할 것은 모델이 고르며, 상위 후보들이 경쟁하고,
1위, 2위와 기본 설정을 나란히 확인합니다. 종료 코드 99: 시험한 설정 중 목표를 만족하는 것이 없음(가장 가까운
것을 알려 줍니다), 112: 확인하기 전에 멈춤.
""",
    "ui": """
모든 실행을 브라우저에서 봅니다: 새로 시작하고, 도는 것은 지켜보고 조작하며, 끝난 것은 찾고 비교합니다.

  loadrig ui                       runs/ 아래의 실행; 주소를 출력하고 브라우저를 엽니다
  loadrig ui nightly/ --port 8600  다른 폴더, 고정된 포트
  loadrig ui runs/shop             실행 하나
  loadrig ui --no-browser          주소만 출력: 첫 줄, 토큰 포함
  loadrig attack URL --ui          실행을 만드는 어떤 명령이든 도는 동안 보여 줍니다

페이지 서버는 이 머신에서만 열리고 토큰 없이는 아무에게도 답하지 않습니다. 다른 머신에서는 포트를 전달하거나
(ssh -L 8600:127.0.0.1:8600 HOST, --port 8600과 함께) --host로 다른 주소에서 열 수 있습니다: 인증서와 함께,
또는 중간의 누구나 읽고 조작할 수 있음을 감수하고 --plain-http로. 실행은 --start-runs가 없으면 이 머신에서만
시작할 수 있으며, 서버가 끝나면 함께 끝나고 측정한 것은 남아 판정됩니다.

Ctrl-C로 끝납니다. 종료 코드: 0 끝남, 104 보여 줄 것이 없거나 쓸 수 없는 주소.
""",
    "verify": """
실행의 파일들이 봉인할 때 그대로인지 확인합니다. 아무것도 바꾸지 않습니다.

  loadrig verify runs/2025-01-31-120000-shop                  실행과 그 trial들의 모든 파일
  loadrig verify runs/2025-01-31-120000-shop/trials/0003      실행의 trial 하나
  loadrig verify runs/2025-01-31-120000-shop --json | jq .    기계가 읽을 형식

각 파일을 읽어 SEALED의 SHA-256과 비교합니다. 바뀌었거나 잘렸거나 없거나 나중에 생긴 파일을 알려 줍니다.
봉인이 없는 trial도 알려 주지만 손상은 아닙니다: 그 도중에 loadrig가 강제 종료된 것입니다.

종료 코드: 0 봉인된 모든 것이 온전함, 111 손상됨, 112 봉인된 것이 없음(페이지가 있고 온전할 수 있으나, 측정한
것의 일부가 아님), 104 실행 폴더가 아님.
""",
    "watch": """
돌고 있는 실행을 지켜봅니다: 처리량과 응답 시간의 선, 계층, 요청 시간이 쓰이는 곳, 이벤트.

  loadrig watch                       runs/ 아래에서 돌고 있는 최근 실행
  loadrig watch runs/shop             다른 실행
  loadrig attack URL --live           실행을 만드는 어떤 명령이든 이런 화면으로
  loadrig watch | tee course.txt      터미널이 없는 곳: 1초에 한 줄

ssh로도, 80열 24줄부터, 색 없이도(NO_COLOR=1) 동작합니다. 가장 낮은 우선순위로 실행 폴더를 읽고 실행과 함께
끝납니다. Ctrl-C는 지켜보기를 끝낼 뿐 실행을 끝내지 않습니다.

종료 코드: 0 실행이 끝났거나 Ctrl-C, 104 거기서 도는 것이 없음.
""",
}
