"""A model that cannot see: what servers say of it, in their own words as users report them, and what models reply."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from strata import errors
from strata.llm.faults import Answer
from strata.llm.refusals import refusal
from strata.llm.sight import blindness, reads_text_only, sees_none
from strata.llm.types import Image, Message
from strata.llm.wire import Call, Unsupported
from tests.llm_client import ALL, SCORE, Client
from tests.llm_server import Server, reply, said
from tests.seen import SEEING, jpeg
from tests.test_llm_faults import DECOMMISSIONED, LLAMA_CPP, MINUTE, NO_MODEL, USUAL
from tests.test_vision_wire import ask


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


def google(message: str) -> dict[str, Any]:
    return {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}


MMPROJ = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"
TEXT_PART = "Failed to deserialize the JSON body: messages[1]: unknown variant `image_url`, expected `text`"
BLIND = {
    "OpenAI": ("openai", 400, error("Invalid content type. image_url is only supported by certain models.",
                                    type="invalid_request_error", param="messages.[1].content.[1].type", code=None)),
    "Groq": ("groq", 400, error("messages[1].content must be a string", type="invalid_request_error",
                                param="messages[1].content")),
    "Groq, before": ("groq", 400, error("'messages.1' : for 'role:user' the following must be satisfied[("
                                        "'messages.1.content' : value must be a string)]")),
    "llama.cpp": ("openai", 500, error(MMPROJ, code=500, type="server_error")),
    "llama.cpp of late": ("openai", 400, error(MMPROJ, code=400, type="invalid_request_error")),
    "vLLM": ("openai", 400, {"object": "error", "message": "At most 0 image(s) may be provided in one prompt.",
                             "type": "BadRequestError", "param": None, "code": 400}),
    "vLLM, before": ("openai", 400, error("At most 0 image(s) may be provided in one request.")),
    "vLLM, a text model": ("openai", 400, error("GLM-5.2 is not a multimodal model", type="BadRequestError")),
    "Ollama": ("openai", 500, error("this model is missing data required for image input", type="api_error")),
    "Ollama's cloud": ("openai", 400, error("this model does not support image input (ref: b8bd630e)")),
    "Ollama, another": ("openai", 400, error("this model does not support images")),
    "Ollama, before": ("openai", 400, error("json: cannot unmarshal array into Go struct field "
                                            "Message.messages.content of type string")),
    "LM Studio": ("openai", 400, {"error": "Model does not support images. Please use a model that does."}),
    "LocalAI": ("openai", 500, error('Unsupported content part type: "image_url"')),
    "DeepSeek": ("openai", 400, error(f"{TEXT_PART} at line 1 column 746109")),
    "OpenRouter": ("openai", 404, error("No endpoints found that support image input", code=404)),
    "xAI": ("openai", 400, error("Image inputs are not supported by this model.")),
    "BytePlus": ("openai", 400, error("Model do not support image input. Request id: 0217888847")),
    "a small server": ("openai", 400, error("Only 'text' content type is supported.")),
    "a strict server": ("openai", 422, {"detail": [{"loc": ["body", "messages", 1, "content", 1, "type"],
                                                    "msg": "Input should be 'text'", "type": "literal_error"}]}),
    "Gemini": ("gemini", 400, google("Image input modality is not enabled for models/gemma-3-1b-it")),
    "Gemini, another": ("gemini", 400, google("This model does not support image input.")),
}  # fmt: skip


@pytest.mark.parametrize("server", BLIND)
def test_a_server_that_refuses_pictures_is_understood_and_asked_once(
    llm_server: Server, tmp_path: Path, server: str
) -> None:
    provider, status, body = BLIND[server]
    llm_server.gives(reply(body, status), reply(said(provider, "I was asked again")))
    with pytest.raises(errors.NoVision) as caught:
        ask(provider, llm_server, jpeg(tmp_path / "a"), schema=SCORE)
    assert SEEING[provider].split("/")[-1] in caught.value.message and "reads text only" in caught.value.message
    assert "--llm-model" in caught.value.next_step and caught.value.fatal and not caught.value.again
    assert caught.value.exit_status == 3 and caught.value.__cause__ is None
    assert len(llm_server.asked) == 1


@pytest.mark.parametrize("server", BLIND)
def test_the_same_words_mean_something_else_where_no_picture_was_sent(server: str) -> None:
    provider, status, body = BLIND[server]
    found = refusal(Answer(provider, "m", status, body), Call((Message("user", "hi"),), None, 9), [])
    assert not isinstance(found, errors.NoVision | Unsupported)


SEES = [
    (400, error("invalid image: cannot decode"), "ProviderError"),
    (400, error("Image is too large: at most 20 MB"), "ProviderError"),
    (400, error("Unsupported image format. Supported are: png, jpeg"), "ProviderError"),
    (400, error("This model does not support image/webp, send image/png"), "ProviderError"),
    (400, error("This endpoint does not support image URLs, send base64"), "ProviderError"),
    (400, error("At most 10 image(s) may be provided in one prompt."), "ProviderError"),
    (400, error("model name must be a string"), "ProviderError"),
    (413, error("Request Entity Too Large"), "TooLong"),
    (400, LLAMA_CPP, "TooLong"),
    (429, MINUTE, "RateLimited"),
    (429, error("image input is not supported, slow down"), "RateLimited"),
    (401, error("Invalid API Key: this key does not support images"), "WrongKey"),
    (404, error("model 'llava' not found, try pulling it first"), "ModelGone"),
    (404, NO_MODEL, "ModelGone"),
    (400, DECOMMISSIONED, "ModelGone"),
    (400, error("Failed to load image or audio file"), "ProviderError"),
    (503, error("overloaded"), "Unavailable"),
    (400, error("The image was blocked by our safety system", code="content_policy_violation"), "Refused"),
]


def with_picture(*parameters: str) -> Call:
    image = Image("a", "image/png", 1, 1, "d", b"x")
    return Call((Message("user", "hi", (image,)),), SCORE, 9, frozenset(parameters))


@pytest.mark.parametrize(("status", "body", "kind"), SEES)
def test_other_refusals_of_a_call_with_a_picture_are_what_they_always_were(status: int, body: Any, kind: str) -> None:
    assert type(refusal(Answer("openai", "m", status, body), with_picture(), USUAL)).__name__ == kind


@pytest.mark.parametrize(
    "message",
    [
        "This model does not support response format `json_schema`.",
        "response_format json_schema is not supported with image inputs",
        "Structured outputs are not supported when images are given",
        "Unsupported parameter: 'seed' is not supported with this model.",
    ],
)
def test_a_parameter_that_does_not_go_with_pictures_is_left_out(message: str) -> None:
    assert isinstance(refusal(Answer("openai", "m", 400, error(message)), with_picture(), USUAL), Unsupported)


def test_what_a_refusal_repeats_of_the_request_is_no_refusal_of_pictures() -> None:
    body = {"detail": [{"msg": "bad", "input": "this model does not support images"}]}
    assert blindness(Answer("openai", "m", 422, body)) is None


@pytest.mark.parametrize("provider", ALL)
def test_gone_models_blocked_empty_and_cut_off_replies_to_a_picture(
    llm_server: Server, tmp_path: Path, provider: str
) -> None:
    file = jpeg(tmp_path / "a")
    gone = {"groq": (DECOMMISSIONED, 400), "gemini": (NO_MODEL, 404)}.get(
        provider, (error('model "llava" not found'), 404)
    )
    blocked = "SAFETY" if provider == "gemini" else "content_filter"
    for answer, kind in (
        (reply(*gone), errors.ModelGone),
        (reply(said(provider, None, blocked)), errors.Refused),
        (reply(said(provider, "")), errors.BadReply),
        (reply(said(provider, '{"score"', "length")), errors.BadReply),
        (reply(said(provider, '{"score": }')), errors.BadReply),
        (reply(b"<html>a portal</html>"), errors.BadReply),
        (reply(error("slow down"), 429), errors.RateLimited),
        (llm_server.broken, errors.Unavailable),
    ):
        llm_server.gives(answer)
        with pytest.raises(errors.ProviderError) as caught:
            ask(provider, llm_server, file, schema=SCORE)
        assert type(caught.value) is kind and caught.value.next_step, (provider, kind, caught.value)


# Models of Groq's


@pytest.mark.parametrize(
    ("model", "blind"),
    [
        ("openai/gpt-oss-120b", True), ("openai/gpt-oss-20b", True), ("llama-3.3-70b-versatile", True),
        ("llama-3.1-8b-instant", True), ("qwen/qwen3-32b", True), ("moonshotai/kimi-k2-instruct", True),
        ("meta-llama/llama-4-scout-17b-16e-instruct", False), ("meta-llama/llama-4-maverick-17b-128e-instruct", False),
        ("qwen/qwen3-vl-32b", False), ("llama-3.2-90b-vision-preview", False), ("a-model-of-tomorrow", False),
    ],
)  # fmt: skip
def test_only_models_that_are_known_to_be_blind_are_taken_for_it(model: str, blind: bool) -> None:
    assert reads_text_only(model) is blind


def test_groqs_usual_model_is_not_even_sent_the_picture(llm_server: Server, tmp_path: Path) -> None:
    pytest.importorskip("groq")
    from tests.test_vision_wire import looking

    usual = Client("groq", llm_server.base("groq"))
    with pytest.raises(errors.NoVision) as caught:
        usual.model.complete(looking(jpeg(tmp_path / "a")))
    assert "openai/gpt-oss-120b on groq reads text only" in caught.value.message and llm_server.asked == []
    assert "--llm-model" in caught.value.next_step and "--llm gemini" in caught.value.next_step
    llm_server.gives(reply(said("groq", "words alone are fine")))
    assert usual().text == "words alone are fine"


# What a model says that was shown nothing


NOTHING = [
    "I don't see an image.",
    "I don’t see any image attached to your message. Could you please upload it?",
    "I'm sorry, but I can't see the image you are referring to.",
    "I'm sorry, but I cannot view images.",
    "Sorry, I am unable to view the attached picture.",
    "I am not able to see pictures directly.",
    "Unfortunately, I can't access the image.",
    "As a text-based AI model, I cannot view or process images.",
    "I do not have the ability to see images.",
    "It seems that no image was provided.",
    "It looks like there is no image attached.",
    "There is no image attached to the request.",
    "No image was provided, so I cannot describe it.",
    "No picture provided.",
    "The image was not provided.",
    "You haven't attached an image.",
    "Please provide the image so that I can describe it.",
    "Could you please share the picture?",
    "Thank you for the request. I can't see the picture, though.",
    "  \n*I cannot see any image here.*",
]
SOMETHING = [
    "A rocket on a launch pad at dusk.",
    "A man who does not see the picture behind him.",
    "An empty white wall on which no picture hangs.",
    "A sign that reads \"Please upload the image\".",
    "A grey placeholder with the words No image available.",
    "A grey placeholder. No image available is written on it.",
    "A screenshot of a web page that says: I don't see an image.",
    "The image shows a rocket; no people are visible.",
    "The picture was taken at night. You see a launch tower.",
    "A child says she cannot find her photograph album.",
    "I see a rocket. The photograph is not sharp.",
    "Please note that the image is blurred: a dog, perhaps.",
    "There is no one in the image.",
    "an astronaut who cannot see the earth",
    "a photographer loses the only picture that was given to her",
]  # fmt: skip


@pytest.mark.parametrize("text", NOTHING)
def test_a_model_that_says_it_saw_no_picture_is_believed(text: str) -> None:
    assert sees_none(text)


@pytest.mark.parametrize("text", SOMETHING)
def test_a_description_is_not_taken_for_that(text: str) -> None:
    assert not sees_none(text) and not sees_none(json.dumps({"shows": text}))


def test_a_long_reply_is_looked_at_in_no_time() -> None:
    for text in ("sorry but " * 50_000, "I'm sorry, " * 50_000, "a . " * 50_000, "as an ai " * 50_000):
        assert not sees_none(text)
