# Shared by run and test. After it is sourced, the repository is the working directory, $python is the
# Python of .venv, and `install FILE` brings .venv up to date with a requirements file.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv="$PWD/.venv"
python="$venv/bin/python"

fail() {
    echo "$*" >&2
    exit 1
}

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        new_enough "$PYTHON" || fail "PYTHON is set to '$PYTHON', which is not a Python 3.11 or newer."
        echo "$PYTHON"
        return
    fi
    local name
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        if new_enough "$name"; then
            echo "$name"
            return
        fi
    done
    fail "Python 3.11 or newer is needed and was not found. Install it, or set PYTHON to its path."
}

make_venv() {
    local base
    base=$(find_python)
    echo "Making .venv with $("$base" --version)"
    if ! "$base" -m venv --clear "$venv"; then
        rm -rf "$venv"
        fail "$base could not make a virtual environment. On Debian and Ubuntu: apt install python3-venv."
    fi
}

# The lock file holds whatever its requirements file asks for, but torch, which stands in requirements.txt.
lock_of() {
    echo "${1%.txt}.lock"
}

checksum() {
    cat requirements.txt "$(lock_of "$1")" | cksum
}

# pip's own settings and environment variables (PIP_EXTRA_INDEX_URL and the like) hold: none is overridden here.
pip_install() {
    "$python" -m pip install --disable-pip-version-check --log "$venv/pip.log" "$@"
}

timed_out() {
    grep -qiE 'timed out|TimeoutError|connection (reset|aborted|broken)|IncompleteRead' "$venv/pip.log" 2>/dev/null
}

torch_pin() {
    grep '^torch==' requirements.txt
}

has_torch() {
    "$python" -c 'import sys, importlib.metadata as m; sys.exit(m.version("torch").split("+")[0] != sys.argv[1])' \
        "$(torch_pin | cut -d= -f3)" 2>/dev/null
}

# Where PyTorch itself publishes the builds without CUDA. PyPI's build for Linux brings gigabytes of it.
cpu_index=${TORCH_CPU_INDEX:-https://download.pytorch.org/whl/cpu}

# Whether that index answers now. A name that is not found and a connection that hangs cost 5 seconds at most.
cpu_index_answers() {
    timeout 5 "$python" -c 'import sys, urllib.request as r; r.urlopen(sys.argv[1], timeout=3).read(1)' \
        "$cpu_index/torch/" >/dev/null 2>&1
}

install_torch() {
    local index=()
    if has_torch; then
        return
    fi
    if [ "$(uname -s)" = Linux ]; then
        if cpu_index_answers; then
            index=(--extra-index-url "$cpu_index")
        else
            echo "$cpu_index does not answer, so pip takes the build of PyTorch that it finds, perhaps one with CUDA."
        fi
    fi
    pip_install ${index[@]+"${index[@]}"} "$(torch_pin)"
}

# What is locked is whole, so nothing beside it is fetched, and each file has to have one of its checksums.
install_all() {
    rm -f "$venv/pip.log"
    pip_install --require-hashes --no-deps -r "$(lock_of "$1")" && install_torch
}

# Installs only when the requirements differ from those of the last successful install.
install() {
    local file=$1 stamp
    stamp="$venv/installed-$file"
    if [ "$(cat "$stamp" 2>/dev/null)" = "$(checksum "$file")" ]; then
        return
    fi
    echo "Installing $file (the first time, this takes a few minutes)"
    if ! install_all "$file"; then
        timed_out || fail "Installing $file failed; the reason stands above."
        echo "The network timed out. Trying once more." >&2
        install_all "$file" || fail "Installing $file failed twice; the reason stands above."
    fi
    checksum "$file" >"$stamp"
    # The other file includes this one.
    checksum requirements.txt >"$venv/installed-requirements.txt"
}

new_enough "$python" || make_venv
