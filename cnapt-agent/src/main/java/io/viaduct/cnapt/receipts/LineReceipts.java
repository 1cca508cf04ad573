package io.viaduct.cnapt.receipts;

/// The receipts of one line of a device: of a control connection and its sessions, one at a time.
/// Owner: the control event loop.
///
/// @param line number of the line, from 0
public record LineReceipts(ReceiptLedger ledger, int line) {
  /// Begins a session. See [ReceiptLedger#begin].
  public SessionCounts begin(String snaptId, String sessionId, long epoch) {
    return ledger.begin(line, snaptId, sessionId, epoch);
  }

  /// Goes on with a session. See [ReceiptLedger#goesOn].
  public void goesOn(String snaptId, String sessionId, long epoch) {
    ledger.goesOn(line, snaptId, sessionId, epoch);
  }

  /// Ends the present session. See [ReceiptLedger#ended].
  public void ended() {
    ledger.ended(line);
  }
}
