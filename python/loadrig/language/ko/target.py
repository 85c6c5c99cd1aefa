class KoreanTargetKnobsTexts:
    application = "애플리케이션"
    command = "명령"
    cores_held_on = "{owner:을} 고정하는 코어의 수."
    quota_in_cores = "{owner}의 CPU 쿼터, 코어의 수로."
    passed_by = "{owner}의 {way}"
    in_the_files = "{owner}의 파일에 있는 {hole}"
