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

checksum() {
    cat requirements.txt "$1" | cksum
}

# pip's own settings and environment variables (PIP_INDEX_URL and the like) hold: none is overridden here.
pip_install() {
    rm -f "$venv/pip.log"
    "$python" -m pip install --disable-pip-version-check --log "$venv/pip.log" -r "$1"
}

timed_out() {
    grep -qiE 'timed out|TimeoutError|connection (reset|aborted|broken)|IncompleteRead' "$venv/pip.log" 2>/dev/null
}

# Installs only when the requirements differ from those of the last successful install.
install() {
    local file=$1 stamp
    stamp="$venv/installed-$file"
    if [ "$(cat "$stamp" 2>/dev/null)" = "$(checksum "$file")" ]; then
        return
    fi
    echo "Installing $file (the first time, this takes a few minutes)"
    if ! pip_install "$file"; then
        timed_out || fail "Installing $file failed; the reason stands above."
        echo "The network timed out. Trying once more." >&2
        pip_install "$file" || fail "Installing $file failed twice; the reason stands above."
    fi
    checksum "$file" >"$stamp"
    # The other file includes this one.
    checksum requirements.txt >"$venv/installed-requirements.txt"
}

new_enough "$python" || make_venv
