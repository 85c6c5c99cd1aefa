class KoreanGeneratorLimitedTexts:
    title = "부하 발생기가 한계였습니다"
    no_proof = "측정 장치를 가리킵니다. 발생기 스레드를 늘리거나 다른 머신에서 다시 실행하십시오"
    kept_busy = "모든 커넥션이 서버의 응답을 기다렸습니다. 더 있어도 함께 기다릴 뿐입니다"
    mend = "발생기에 코어나 스레드를 더 주거나 (trial: {threads: 2}) 부하를 줄이십시오"
    decides = "발생기 스레드를 늘리거나 다른 머신에서 같은 부하를"
    effect = "{text}; 요청의 {failed_share:가} 실패했습니다"
