;;; Checks the snippets of docs/editors.md in Emacs with eglot, in batch mode, with the real program. -*- lexical-binding: t -*-
(package-initialize)
(load (getenv "KENNING_TEST_SNIPPET") nil t)
(load (getenv "KENNING_TEST_SNIPPET_COMMAND_LINE") nil t)
(setq eglot-sync-connect 60)

(defun check (name condition &optional detail)
  (unless condition
    (princ (format "FAILED Emacs: %s: %S\n" name detail))
    (kill-emacs 1)))

(find-file "src/itsdangerous/signer.py")
(apply #'eglot (let ((eglot--managed-mode nil)) (eglot--guess-contact)))
(let ((server (eglot-current-server)))
  (check "the server is Kenning" (member "kenning" (process-command (jsonrpc--process server))))
  ;; Wait, because the server answers before the index is complete.
  (let ((left 600) status)
    (while (and (> left 0)
                (not (equal "ready" (plist-get status :phase))))
      (setq left (1- left)
            status (jsonrpc-request server :workspace/executeCommand
                                    (list :command "kenning.status" :arguments (vector (make-hash-table)))))
      (accept-process-output nil 0.1))
    (check "the repository is indexed" (equal "ready" (plist-get status :phase)) status))
  (goto-char (point-min))
  (search-forward "def derive_key")
  (backward-char 3)
  (let ((hover (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams))))
    (check "the hover shows the blast radius"
           (string-match-p "Blast radius" (plist-get (plist-get hover :contents) :value)) hover))
  (kenning-context "sign values with a timestamp")
  (check "the pack is copied" (string-match-p "Signer\\.sign" (current-kill 0)) (current-kill 0))
  (kenning-context-from-command-line "sign values with a timestamp")
  (check "the command line prints the pack" (string-match-p "Signer\\.sign" (current-kill 0)) (current-kill 0))
  (kenning-blast-radius "Signer.derive_key")
  (with-current-buffer "*kenning blast radius*"
    (check "the blast radius is shown" (string-match-p "get_signature" (buffer-string)) (buffer-string)))
  ;; An unsaved edit counts.
  (goto-char (point-max))
  (insert "\n\ndef added(signer: Signer):\n    return signer.derive_key()\n")
  (eglot--signal-textDocument/didChange)
  (let ((left 100) found)
    (while (and (> left 0) (not found))
      (setq left (1- left)
            found (seq-find (lambda (caller) (equal "added" (plist-get caller :name)))
                            (plist-get (jsonrpc-request
                                        server :workspace/executeCommand
                                        (list :command "kenning.blastRadius"
                                              :arguments (vector (list :symbol "Signer.derive_key"))))
                                       :callers)))
      (accept-process-output nil 0.1))
    (check "an unsaved caller is listed" found))
  (set-buffer-modified-p nil)
  (eglot-shutdown server))
(princ (format "ok     Emacs %s, eglot\n" emacs-version))
