package io.viaduct.snapt;

import io.viaduct.service.storage.PrivateDirectory;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.snapt.credit.CreditLine;
import io.viaduct.snapt.credit.FreeDestinations;
import io.viaduct.snapt.credit.WithoutBilling;
import io.viaduct.snapt.reporting.BridgeConnection;
import io.viaduct.snapt.reporting.BridgeOrders;
import io.viaduct.snapt.reporting.GrpcReportLine;
import io.viaduct.snapt.reporting.IntervalLog;
import io.viaduct.snapt.reporting.Receipts;
import io.viaduct.snapt.reporting.ReportSender;
import io.viaduct.snapt.reporting.ReportSigner;
import io.viaduct.snapt.reporting.ReportSpool;
import io.viaduct.snapt.reporting.UsageReporting;
import io.viaduct.usage.v1.SnaptState;
import io.viaduct.usage.v1.SnaptStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executors;

/// A SNAPT that has no devices: the SNAPT's own connection to its bridge, with its three streams,
/// its certificate and its spool, and without control port, data port and TUN device.
public final class AnnouncingSnapt implements AutoCloseable {
  /// The SNAPT's own pause between two statuses (`reporting.status-every`).
  public static final Duration STATUS_EVERY = Duration.ofSeconds(3);

  private static final int REPORTS_MAX = 1_000;
  private static final int WINDOW = 64;
  private static final int LOG_BYTES = 1 << 20;
  private static final int PORT = 443;

  private final String id;
  private final String host;
  private final int sessions;
  private final BridgeConnection connection;

  /// The place of the bridge.
  public record Bridge(String host, int port) {}

  /// @param host address that it announces, different for each SNAPT
  /// @param sessions that it announces
  /// @param reportKey PEM file of the key of its reports
  /// @param state a new directory
  /// @param answered called at each answer to a status, on a thread of its own
  public AnnouncingSnapt(
      String id,
      String host,
      int sessions,
      TlsSettings tls,
      Path reportKey,
      Path state,
      Bridge bridge,
      Runnable answered)
      throws IOException {
    this.id = id;
    this.host = host;
    this.sessions = sessions;
    PrivateDirectory.make(state);
    ReportSigner signer = new ReportSigner("report", Ed25519.readPair(reportKey).getPrivate());
    ReportSpool spool = ReportSpool.open(state.resolve("spool"), REPORTS_MAX);
    IntervalLog intervals = IntervalLog.open(state.resolve("intervals"), LOG_BYTES);
    intervals.recover(spool, signer);
    Receipts receipts =
        new Receipts(spool, (device, session, owed, last) -> {}, Duration.ofSeconds(2), () -> {});
    ReportSender sender = new ReportSender(spool, receipts, WINDOW);
    var channel =
        new SnaptTls(new ExchangeableTls(TlsMaterial.load(tls)))
            .bridge(reporting(bridge, reportKey));
    connection =
        new BridgeConnection(
            channel,
            new GrpcReportLine(channel),
            Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().factory()),
            InstantSource.system(),
            new UsageReporting(spool, intervals, signer, sender, receipts, Runnable::run),
            sender,
            this::status,
            _ -> answered.run(),
            BridgeOrders.NONE,
            new CreditLine(WithoutBilling.CONTINUE, new FreeDestinations(List.of())));
  }

  private static SnaptConfiguration.Reporting reporting(Bridge bridge, Path reportKey) {
    return new SnaptConfiguration.Reporting(
        bridge.host,
        bridge.port,
        reportKey,
        "report",
        WINDOW,
        Duration.ofSeconds(2),
        REPORTS_MAX,
        STATUS_EVERY,
        Duration.ZERO,
        SnaptConfiguration.ReportTransport.GRPC,
        new SnaptConfiguration.SipWay("", PORT, true, ""));
  }

  private SnaptStatus status() {
    return SnaptStatus.newBuilder()
        .setState(SnaptState.SERVING)
        .setSnaptId(id)
        .setHost(host)
        .setControlPort(PORT)
        .setDataPort(PORT)
        .setRegion("core")
        .setEpoch(1)
        .setSessions(sessions)
        .setSessionsLimit(10_000)
        .setVersion("bench")
        .build();
  }

  /// Opens the streams and announces itself from now on.
  public void start() {
    connection.start(STATUS_EVERY);
  }

  @Override
  public void close() {
    connection.close();
  }
}
