"""Sentences of the converter `siege` in English: what became of its list of URLs."""


class ConvertersSiegeTexts:
    files = "a list of URLs (urls.txt)"
    users = "users, pauses and headers"
    no_body_file = "no such file lies in the folder of the list or below, or it is too large"

    def users_of_command(self, users: int) -> str:
        return f"they stand on siege's command line and in its configuration; {users} users is its default"

    def no_variable(self, name: str) -> str:
        return f"nothing in the list sets {name}"
