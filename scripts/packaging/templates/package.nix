{ lib, stdenv, fetchurl, autoPatchelfHook, installShellFiles }:

let
  version = "@VERSION@";
  archives = {
    x86_64-linux = { triple = "x86_64-unknown-linux-gnu"; sha256 = "@CHECKSUM:x86_64-unknown-linux-gnu@"; };
    aarch64-linux = { triple = "aarch64-unknown-linux-gnu"; sha256 = "@CHECKSUM:aarch64-unknown-linux-gnu@"; };
    x86_64-darwin = { triple = "x86_64-apple-darwin"; sha256 = "@CHECKSUM:x86_64-apple-darwin@"; };
    aarch64-darwin = { triple = "aarch64-apple-darwin"; sha256 = "@CHECKSUM:aarch64-apple-darwin@"; };
  };
  archive = archives.${stdenv.hostPlatform.system} or (throw "kenning: there is no package for ${stdenv.hostPlatform.system}");
in
stdenv.mkDerivation {
  pname = "kenning";
  inherit version;

  src = fetchurl {
    url = "@REPOSITORY@/releases/download/v${version}/kenning-${version}-${archive.triple}.tar.gz";
    inherit (archive) sha256;
  };

  nativeBuildInputs = [ installShellFiles ] ++ lib.optional stdenv.hostPlatform.isLinux autoPatchelfHook;
  buildInputs = lib.optional stdenv.hostPlatform.isLinux stdenv.cc.cc.lib;

  installPhase = ''
    runHook preInstall
    install -Dm755 kenning -t $out/bin
    installManPage man/*.1
    installShellCompletion --cmd kenning \
      --bash completions/kenning.bash --zsh completions/_kenning --fish completions/kenning.fish
    runHook postInstall
  '';

  meta = {
    description = "@SUMMARY@";
    homepage = "@REPOSITORY@";
    license = with lib.licenses; [ mit asl20 ];
    mainProgram = "kenning";
    platforms = builtins.attrNames archives;
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
  };
}
