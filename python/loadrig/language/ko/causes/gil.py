class KoreanGilTexts:
    title = "Python 프로세스 하나의 인터프리터 락(GIL)이 포화되었습니다"
    decides = "프로세스를 하나 늘리면 처리량이 비례해서 올라가고, 스레드를 늘려서는 달라지지 않습니다"
    held_by = "락을 쥔 스레드는 주로 {function}에 있었습니다"
    waited = "처리량 {rate}/s에서 스레드 {number}개가 인터프리터 락을 기다렸습니다"
    mend = "스레드 대신 프로세스를 늘리십시오: {processes}"
    behind_an_address = "한 주소 뒤에 프로세스 {number}개, 예를 들어 gunicorn --workers={number}"
    or_cheaper = "; 또는 {function:을} 더 가볍게 만드십시오"
