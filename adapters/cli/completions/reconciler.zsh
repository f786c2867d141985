#compdef reconciler

_reconciler_completion() {
  eval $(env _TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" _RECONCILER_COMPLETE=complete_zsh reconciler)
}

compdef _reconciler_completion reconciler
