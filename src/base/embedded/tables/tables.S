/* The tables that the build wrote, as bytes in the program; found through the include path. */
#if defined(__ELF__)
    .section .note.GNU-stack,"",%progbits
#endif
    .section .rodata
    .macro table name, file
    .global \name
    .global \name\()_end
    .balign 16
\name:
    .incbin "\file"
\name\()_end:
    .byte 0
    .endm
    table epwise_table_rules, "rules.bin"
    table epwise_table_vocabulary, "vocabulary.bin"
    table epwise_table_profiles, "profiles.bin"
    table epwise_table_laws, "laws.bin"
    table epwise_table_step_model, "step_model.bin"
    table epwise_table_advice, "advice.bin"
    table epwise_table_recipes, "recipes.bin"
    table epwise_table_schemas, "schemas.bin"
    table epwise_explore_html, "explore.html"
    table epwise_explore_css, "explore.css"
    table epwise_explore_js, "explore.js"
    table epwise_effects, "effects.yaml"
    table epwise_support, "support.yaml"
    table epwise_model_config_names, "config_names.yaml"
    table epwise_model_vision_encoders, "vision_encoders.yaml"
    table epwise_model_public_models, "public_models.yaml"
    table epwise_trainer_core, "core.yaml"
    table epwise_trainer_nemo, "nemo.yaml"
    table epwise_trainer_nemo_rl, "nemo_rl.yaml"
    table epwise_trainer_roll, "roll.yaml"
    table epwise_trainer_slime, "slime.yaml"
    table epwise_slime_flags, "slime_flags.yaml"
    table epwise_verl_keys, "verl_keys.yaml"
    table epwise_trainer_swift, "swift.yaml"
    table epwise_trainer_verl, "verl.yaml"
