package io.viaduct.cnapt;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.cnapt.control.BridgeDirectory;
import io.viaduct.cnapt.control.DeviceIdentity;
import io.viaduct.cnapt.operations.AgentStatus;
import io.viaduct.cnapt.operations.OperatorMeters;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.cnapt.signalling.FileTokenSource;
import io.viaduct.cnapt.signalling.SipTokenSource;
import io.viaduct.cnapt.signalling.TokenSource;
import io.viaduct.cnapt.usage.DeviceReports;
import io.viaduct.service.clock.PeerClock;
import io.viaduct.service.tls.CertificateMeters;
import java.io.IOException;
import java.util.List;

/// The device's account with its operator: its key, the session tokens, the receipts that it signs,
/// its own reports, and whom it trusts. The thread that starts and stops the agent makes and closes
/// the parts; each part says which threads may call it.
final class OperatorAccount implements AutoCloseable {
  private final DeviceIdentity device;
  private final TrustedAuthorities authorities;
  private final TokenSource tokens;
  private final DeviceReports reports;
  private final ReceiptLedger receipts;
  private final BridgeDirectory bridge;
  private final PeerClock bridgeClock = new PeerClock("the bridge");

  /// @param mark SO_MARK of the sockets to the bridge
  /// @throws IOException if a file of the state cannot be opened
  OperatorAccount(CnaptConfiguration configuration, int mark, AgentClock clock) throws IOException {
    this.device = DeviceIdentity.read(configuration.deviceKey());
    this.authorities = new TrustedAuthorities(configuration.trust().orElseThrow(), clock.wall());
    this.tokens =
        configuration
            .tokenFile()
            .<TokenSource>map(FileTokenSource::new)
            .orElseGet(() ->
                new SipTokenSource(
                    configuration.signalling(),
                    mark,
                    device.publicKey(),
                    clock.wall(),
                    clock.monotonic(),
                    bridgeClock));
    // The start of SIP and of TLS each takes as long as the rest of the start.
    EarlyStart.beside("tls-start", authorities::get);
    EarlyStart.beside("sip-start", tokens::prepare);
    this.reports =
        DeviceReports.open(
            configuration.state(),
            device::signReport,
            tokens::publish,
            clock.wall(),
            clock.monotonic());
    this.receipts =
        ReceiptLedger.open(
            configuration.state(), configuration.receipts(), device::sign, clock.wall(), reports);
    this.bridge = new BridgeDirectory(clock.monotonic());
  }

  DeviceIdentity device() {
    return device;
  }

  TrustedAuthorities authorities() {
    return authorities;
  }

  TokenSource tokens() {
    return tokens;
  }

  ReceiptLedger receipts() {
    return receipts;
  }

  /// Returns what checks the directories that SNAPTs carry.
  BridgeDirectory bridge() {
    return bridge;
  }

  /// Starts to ask for tokens.
  ///
  /// @param taken gets each ticket, on a thread of the token source
  void start(TokenSource.TicketListener taken) {
    tokens.start(ticket -> {
      reports.token(ticket.token());
      taken.ticket(ticket);
    });
  }

  /// Returns the status of the receipts.
  ///
  /// @param supported whether the SNAPT accepts receipts
  AgentStatus.ReceiptsStatus receipts(boolean supported) {
    return new AgentStatus.ReceiptsStatus(
        supported,
        receipts.of(ReceiptLedger.Outcome.SIGNED),
        receipts.of(ReceiptLedger.Outcome.COUNTS_DIFFER)
            + receipts.of(ReceiptLedger.Outcome.UNKNOWN_SESSION),
        receipts.owed());
  }

  List<MeterBinder> meters() {
    return List.of(
        registry -> CertificateMeters.trust(registry, authorities::certificates),
        new OperatorMeters(() -> tokens.status().probes(), bridgeClock, bridge, receipts, reports));
  }

  /// Ends the reports and the registration at the bridge.
  void stop() {
    reports.close();
    tokens.close();
  }

  /// Closes the counts, after [#stop] and the end of the event loops, which write them.
  @Override
  public void close() {
    receipts.close();
  }
}
