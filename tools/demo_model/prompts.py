"""The demo model's languages, and the prompt and chat template of Hunyuan-MT around a text."""

from tokenizer import Tokenizer

CHINESE_NAMES = {"zh": "中文", "en": "英语", "fr": "法语", "de": "德语", "es": "西班牙语", "ja": "日语"}
ENGLISH_NAMES = {
    "zh": "Chinese", "en": "English", "fr": "French", "de": "German", "es": "Spanish", "ja": "Japanese"
}
LANGUAGES = list(CHINESE_NAMES)


def prompt(source: str, target: str, text: str) -> str:
    """The instruction the publisher trained with: in Chinese where one side is Chinese."""
    if "zh" in (source, target):
        return f"把下面的文本翻译成{CHINESE_NAMES[target]}，不要额外解释。\n\n{text}"
    return (f"Translate the following segment into {ENGLISH_NAMES[target]}, "
            f"without additional explanation.\n\n{text}")


def prompt_tokens(tokenizer: Tokenizer, source: str, target: str, text: str) -> list[int]:
    """The prompt in the chat template: what the model has read when it begins to answer."""
    special = tokenizer.special_ids
    return [
        special["<|startoftext|>"],
        *tokenizer.encode(prompt(source, target, text)),
        special["<|extra_0|>"],
    ]
