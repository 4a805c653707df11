"""Recipes as people write them in Python, without Megatron: sections are dataclasses that bear its names."""

import dataclasses


def section(module: str, name: str, **defaults):
    fields = [(key, type(value), dataclasses.field(default=value)) for key, value in defaults.items()]
    return dataclasses.make_dataclass(name, fields, namespace={"__module__": f"megatron.bridge.{module}"})


Model = section(
    "models.gpt_provider",
    "GPTModelProvider",
    num_layers=16,
    hidden_size=2048,
    num_attention_heads=16,
    seq_length=4096,
    num_moe_experts=64,
    moe_router_topk=8,
    moe_ffn_hidden_size=1024,
    moe_grouped_gemm=True,
    moe_token_dispatcher_type="alltoall",
    tensor_model_parallel_size=1,
    expert_model_parallel_size=8,
    bf16=True,
)
Train = section("training.config", "TrainingConfig", global_batch_size=512, micro_batch_size=1, train_iters=100)
Data = section("training.config", "MockGPTDatasetConfig", seq_length=4096, random_seed=1234, reset_position_ids=False,
               reset_attention_mask=False, eod_mask_loss=False)
Optimizer = section("training.config", "OptimizerConfig", optimizer="adam", lr=0.0003, use_distributed_optimizer=True)
Scheduler = section("training.config", "SchedulerConfig", lr_decay_style="cosine")
Logger = section("training.config", "LoggerConfig", log_interval=10)
Tokenizer = section("training.tokenizers.config", "TokenizerConfig", tokenizer_type="NullTokenizer", vocab_size=32000)
Checkpoint = section("training.config", "CheckpointConfig", save_interval=100)


@dataclasses.dataclass
class ConfigContainer:
    model: object = dataclasses.field(default_factory=Model)
    train: object = dataclasses.field(default_factory=Train)
    dataset: object = dataclasses.field(default_factory=Data)
    optimizer: object = dataclasses.field(default_factory=Optimizer)
    scheduler: object = dataclasses.field(default_factory=Scheduler)
    logger: object = dataclasses.field(default_factory=Logger)
    tokenizer: object = dataclasses.field(default_factory=Tokenizer)
    checkpoint: object = dataclasses.field(default_factory=Checkpoint)
    mixed_precision: str = "bf16_mixed"


ConfigContainer.__module__ = "megatron.bridge.training.config"
