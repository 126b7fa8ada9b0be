#!/usr/bin/env bash
# Installs a release of code-server from npm, unless it is already installed: install-code-server.sh
# FOLDER RELEASE
#
# The package's own installer refuses to run as root and downloads ripgrep, so this script does the
# same steps.
set -euo pipefail
workbench=$1
release=$2
if [ -f "$workbench/installed" ]; then exit 0; fi

rm -rf "$workbench"
mkdir -p "$workbench"
cd "$workbench"
echo '{"name":"workbench","private":true}' >package.json
npm install --silent --ignore-scripts --no-save "code-server@$release"
npm rebuild --silent argon2
cd node_modules/code-server/lib/vscode
npm install --silent --ignore-scripts --omit=dev
for native in native-watchdog @vscode/native-watchdog @vscode/spdlog @vscode/deviceid @vscode/sqlite3 @vscode/fs-copyfile; do
    if [ -d "node_modules/$native" ]; then npm rebuild --silent "$native"; fi
done
if [ -d node_modules/@vscode/ripgrep ]; then
    mkdir -p node_modules/@vscode/ripgrep/bin
    ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
fi
ln -sfn node_modules node_modules.asar
ln -sf code-linux.sh bin/remote-cli/code-server
ln -sf browser-linux.sh bin/helpers/browser.sh
cd extensions
npm install --silent --ignore-scripts --omit=dev
touch "$workbench/installed"
