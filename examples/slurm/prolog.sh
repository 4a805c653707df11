#!/usr/bin/env bash
# The first lines of a batch script, or a task prolog: the job ends here when what was checked before `sbatch` is not
# what starts now. EPWISE_RECEIPT names the receipt that `epwise gate --receipt` wrote; paths in it are seen from
# the folder that the job was submitted in.
set -u
cd "${SLURM_SUBMIT_DIR:-.}" || exit 1
receipt=${EPWISE_RECEIPT:-receipt.json}
status=0
epwise gate --verify-receipt "$receipt" || status=$?
if [ "$status" -ne 0 ]; then
  echo "prolog: this job was not checked as it is now: epwise gate RECIPE --receipt $receipt" >&2
  exit "$status"
fi
