package io.viaduct.snapt.reporting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.logging.CapturedLog;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.RequestHandler;
import io.viaduct.sip.ServerAddresses;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.transport.SocketSettings;
import io.viaduct.sip.transport.StreamClient;
import io.viaduct.snapt.TestBridge;
import io.viaduct.snapt.TestNames;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.credit.CreditLine;
import io.viaduct.snapt.credit.FreeDestinations;
import io.viaduct.snapt.credit.WithoutBilling;
import io.viaduct.usage.SipReporting;
import io.viaduct.usage.v1.DrainOrder;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/// Tests the delivery of reports over real gRPC with mutual TLS.
class SnaptReportingTest {
  @TempDir Path folder;
  private final AtomicInteger keysTold = new AtomicInteger();
  private BridgeOrders orders = BridgeOrders.NONE;
  private UnaryOperator<ManagedChannel> wrapping = UnaryOperator.identity();
  private TestOperator operator;
  private UsageReporting reporting;
  private @Nullable BridgeConnection connection;
  private @Nullable TestBridge bridge;

  @BeforeEach
  void prepare() throws Exception {
    operator = new TestOperator(folder.resolve("pki"));
  }

  @AfterEach
  void stop() {
    if (connection != null) {
      connection.close();
    }
    if (bridge != null) {
      bridge.close();
    }
  }

  private TestBridge startBridge(TestOperator authority, int port) throws Exception {
    return new TestBridge(
        authority.material("ims-bridge"),
        new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port),
        operator.tokenKey());
  }

  private void connect(TlsMaterial tls, int port) throws Exception {
    connect(tls, port, Duration.ofMillis(200));
  }

  private void connect(TlsMaterial tls, int port, Duration announceEvery) throws Exception {
    connect(tls, port, announceEvery, GrpcReportLine::new);
  }

  private void connect(
      TlsMaterial tls, int port, Duration announceEvery, Function<ManagedChannel, ReportLine> line)
      throws Exception {
    ManagedChannel channel =
        wrapping.apply(
            NettyChannelBuilder.forAddress("localhost", port)
                .sslContext(GrpcSslContexts.configure(tls.clientBuilder(), SslProvider.JDK).build())
                .build());
    ReportSpool spool = ReportSpool.open(folder.resolve("spool"), 100);
    ReportSender sender = new ReportSender(spool, TestUsage.noReceipts(spool), 8);
    ReportSigner signer = new ReportSigner("report", Ed25519.generate().getPrivate());
    IntervalLog intervals = IntervalLog.open(folder.resolve("intervals"), 1 << 20);
    reporting =
        new UsageReporting(
            spool, intervals, signer, sender, TestUsage.noReceipts(spool), Runnable::run);
    connection =
        new BridgeConnection(
            channel,
            line.apply(channel),
            Executors.newSingleThreadScheduledExecutor(),
            InstantSource.system(),
            reporting,
            sender,
            SnaptStatus::getDefaultInstance,
            answer -> keysTold.addAndGet(answer.getTokenKeysCount()),
            orders,
            new CreditLine(WithoutBilling.CONTINUE, new FreeDestinations(List.of())));
    connection.start(announceEvery);
  }

  private static UsageReport report(long sequence) {
    return UsageReport.newBuilder()
        .setSnaptId("snapt-1")
        .setSessionId(new UUID(1, 2).toString())
        .setEpoch(1)
        .setSequence(sequence)
        .build();
  }

  @Test
  void reportsSurviveABridgeThatGoesAwayAndComesBack() throws Exception {
    bridge = startBridge(operator, 0);
    int port = bridge.port();
    connect(operator.material("snapt-1"), port);
    reporting.close(TestUsage.of(report(0)), () -> {});
    connection.settleSoon();
    await().until(() -> reporting.pending() == 0 && keysTold.get() > 0);
    bridge.close();
    for (int i = 1; i < 20; i++) {
      reporting.close(TestUsage.of(report(i)), () -> {});
    }
    connection.settleSoon();
    bridge = startBridge(operator, port);
    await().until(() -> reporting.pending() == 0);
    assertThat(bridge.reports).hasSize(19);
  }

  /// A SIP server that answers each request by a given rule.
  private SipEndpoint sipServer(RequestHandler answer) throws Exception {
    return sipServer("127.0.0.1", 0, answer);
  }

  private SipEndpoint sipServer(String address, int port, RequestHandler answer) throws Exception {
    InetSocketAddress any = new InetSocketAddress(address, port);
    SipEndpointSettings plain = SipEndpointSettings.client(any);
    SslContext tls = operator.material("ims-bridge").server(ClientAuth.NONE);
    return SipEndpoint.start(
        new SipEndpointSettings(
            plain
                .sockets()
                .withListeners(
                    List.of(
                        new SocketSettings.StreamListener(
                            Transport.TLS, new InetSocketAddress(address, 0), tls))),
            "",
            plain.guard(),
            64,
            200,
            200,
            1024,
            64),
        InstantSource.system(),
        answer);
  }

  private static SipReportLine line(int port, @Nullable SslContext tls) {
    return line("localhost", port, tls);
  }

  private static SipReportLine line(String host, int port, @Nullable SslContext tls) {
    return new SipReportLine(
        new SipReportLine.Settings(
            "snapt-1", "ims.test", new StreamClient.Server(host, port, tls, "localhost")),
        System::nanoTime);
  }

  /// A channel that counts how often the pauses between its attempts begin anew.
  private static final class CountedChannel extends ManagedChannel {
    private final ManagedChannel channel;
    private final AtomicInteger resets;

    CountedChannel(ManagedChannel channel, AtomicInteger resets) {
      this.channel = channel;
      this.resets = resets;
    }

    @Override
    public void resetConnectBackoff() {
      resets.incrementAndGet();
      channel.resetConnectBackoff();
    }

    @Override
    public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
      return channel.newCall(method, options);
    }

    @Override
    public String authority() {
      return channel.authority();
    }

    @Override
    public ManagedChannel shutdown() {
      return channel.shutdown();
    }

    @Override
    public ManagedChannel shutdownNow() {
      return channel.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
      return channel.isShutdown();
    }

    @Override
    public boolean isTerminated() {
      return channel.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
      return channel.awaitTermination(timeout, unit);
    }
  }

  private static void posted(IncomingRequest request, List<UsageReport> taken) {
    try {
      UsageReport report =
          UsageReport.parseFrom(
              SignedUsageReport.parseFrom(request.message().body().bytes()).getReport());
      taken.add(report);
      ReportAck ack =
          ReportAck.newBuilder()
              .setSnaptId(report.getSnaptId())
              .setSessionId(report.getSessionId())
              .setEpoch(report.getEpoch())
              .setSequence(report.getSequence())
              .setVerdict(ReportVerdict.POSTED)
              .build();
      request.answer(
          SipResponse.to(request.message(), 200)
              .withBody(SipReporting.ACKNOWLEDGEMENT, SipBody.of(ack.toByteArray())));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void reportsGoBySipOverTlsAndTheAnswersAreTheirVerdicts() throws Exception {
    List<UsageReport> taken = new CopyOnWriteArrayList<>();
    List<SipRequest> requests = new CopyOnWriteArrayList<>();
    try (SipEndpoint server =
        sipServer(request -> {
          requests.add(request.message());
          posted(request, taken);
        })) {
      TlsMaterial own = operator.material("snapt-1");
      SipReportLine line = line(server.port(Transport.TLS), own.clientBuilder().build());
      connect(own, 1, Duration.ofMinutes(1), _ -> line);
      for (int i = 0; i < 20; i++) {
        reporting.close(TestUsage.of(report(i)), () -> {});
      }
      connection.settleSoon();
      await().until(() -> reporting.pending() == 0);
      assertThat(taken).extracting(UsageReport::getSequence).hasSize(20).doesNotHaveDuplicates();
      SipRequest first = requests.getFirst();
      assertThat(first.startLine()).isEqualTo("PUBLISH sip:report@ims.test SIP/2.0");
      assertThat(first.headers().require("From")).startsWith("<sip:snapt-1@ims.test>;tag=");
      assertThat(first.headers().require("Event")).isEqualTo("viaduct-snapt-usage");
      assertThat(first.headers().require("Content-Type"))
          .isEqualTo("application/vnd.viaduct.usage-report");
    }
  }

  @Test
  void reportsBySipGoToTheNextAddressOfANameWhenTheFirstOneTakesNoConnection() throws Exception {
    TestNames.put("sip-servers.test", "127.0.0.2", "127.0.0.1");
    List<UsageReport> taken = new CopyOnWriteArrayList<>();
    try (SipEndpoint server = sipServer(request -> posted(request, taken))) {
      TlsMaterial own = operator.material("snapt-1");
      SipReportLine line =
          line("sip-servers.test", server.port(Transport.TLS), own.clientBuilder().build());
      connect(own, 1, Duration.ofMinutes(1), _ -> line);
      reporting.close(TestUsage.of(report(0)), () -> {});
      connection.settleSoon();
      await().until(() -> reporting.pending() == 0);
      assertThat(taken).hasSize(1);
    }
  }

  @Test
  void reportsBySipLeaveAnAddressThatAnswers503() throws Exception {
    TestNames.put("busy-first.test", "127.0.0.2", "127.0.0.1");
    List<UsageReport> taken = new CopyOnWriteArrayList<>();
    AtomicInteger refusals = new AtomicInteger();
    try (SipEndpoint server = sipServer(request -> posted(request, taken));
        SipEndpoint busy =
            sipServer(
                "127.0.0.2",
                server.port(),
                request -> {
                  refusals.incrementAndGet();
                  request.answer(503);
                })) {
      int port = busy.port();
      connect(
          operator.material("snapt-1"),
          1,
          Duration.ofMinutes(1),
          _ -> line("busy-first.test", port, null));
      reporting.close(TestUsage.of(report(0)), () -> {});
      connection.settleSoon();
      await().until(() -> reporting.pending() == 0);
      assertThat(taken).hasSize(1);
      assertThat(refusals).hasValue(1);
    }
  }

  @Test
  void reportsBySipStayAtAnAddressThatServesWhenAnEarlierOneServesAgain() throws Exception {
    TestNames.put("late-first.test", "127.0.0.2", "127.0.0.1");
    List<UsageReport> taken = new CopyOnWriteArrayList<>();
    List<UsageReport> late = new CopyOnWriteArrayList<>();
    try (SipEndpoint server = sipServer(request -> posted(request, taken));
        SipReportLine line = line("late-first.test", server.port(), null)) {
      reportOn(line);
      await().until(() -> taken.size() == 1);
      try (SipEndpoint back =
          sipServer("127.0.0.2", server.port(), request -> posted(request, late))) {
        assertThat(back.port()).isEqualTo(server.port());
        reportOn(line);
        await().until(() -> taken.size() + late.size() == 2);
        assertThat(late).isEmpty();
      }
    }
  }

  /// Sends a report on a connection of its own, which ends with the answer.
  private static void reportOn(SipReportLine line) {
    CompletableFuture<ReportAck> answered = new CompletableFuture<>();
    StreamObserver<SignedUsageReport> reports =
        line.open(
            new StreamObserver<>() {
              @Override
              public void onNext(ReportAck ack) {
                answered.complete(ack);
              }

              @Override
              public void onError(Throwable why) {
                answered.completeExceptionally(why);
              }

              @Override
              public void onCompleted() {
                // a line ends with an error
              }
            });
    reports.onNext(SignedUsageReport.newBuilder().setReport(report(0).toByteString()).build());
    assertThat(answered).succeedsWithin(Duration.ofSeconds(30));
    reports.onCompleted();
  }

  @Test
  void reportsBySipLeaveAnAddressThatAnswersTlsWithSomethingElse() throws Exception {
    TestNames.put("plain-first.test", "127.0.0.2", "127.0.0.1");
    List<UsageReport> taken = new CopyOnWriteArrayList<>();
    try (SipEndpoint server = sipServer(request -> posted(request, taken));
        SipEndpoint plain =
            sipServer("127.0.0.2", server.port(Transport.TLS), request -> request.answer(500))) {
      TlsMaterial own = operator.material("snapt-1");
      SipReportLine line = line("plain-first.test", plain.port(), own.clientBuilder().build());
      connect(own, 1, Duration.ofMinutes(1), _ -> line);
      reporting.close(TestUsage.of(report(0)), () -> {});
      connection.settleSoon();
      await().until(() -> reporting.pending() == 0);
      assertThat(taken).hasSize(1);
    }
  }

  @Test
  void anAnswerWithoutAVerdictKeepsTheReportUntilTheServerGivesOne() throws Exception {
    List<UsageReport> taken = new CopyOnWriteArrayList<>();
    AtomicInteger refusals = new AtomicInteger();
    try (SipEndpoint server =
        sipServer(request -> {
          if (refusals.incrementAndGet() < 3) {
            request.answer(SipResponse.to(request.message(), 503).with("Retry-After", "1"));
          } else {
            posted(request, taken);
          }
        })) {
      int port = server.port();
      connect(operator.material("snapt-1"), 1, Duration.ofMinutes(1), _ -> line(port, null));
      reporting.close(TestUsage.of(report(0)), () -> {});
      connection.settleSoon();
      await().until(() -> reporting.pending() == 0);
      assertThat(taken).hasSize(1);
      assertThat(refusals).hasValue(3);
    }
  }

  @Test
  void aBridgeThatIsAwayIsTriedEverySecondWhileReportsGoBySip() throws Exception {
    AtomicInteger resets = new AtomicInteger();
    wrapping = channel -> new CountedChannel(channel, resets);
    List<UsageReport> taken = new CopyOnWriteArrayList<>();
    try (SipEndpoint server = sipServer(request -> posted(request, taken))) {
      int port = server.port();
      connect(operator.material("snapt-1"), 1, Duration.ofMinutes(1), _ -> line(port, null));
      await().until(() -> resets.get() >= 2);
    }
  }

  @Test
  void aServerWhoseCertificateNamesAnotherDomainGetsNoReport() throws Exception {
    List<UsageReport> taken = new CopyOnWriteArrayList<>();
    CompletableFuture<String> end = new CompletableFuture<>();
    MultiThreadIoEventLoopGroup loop =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try (SipEndpoint server = sipServer(request -> posted(request, taken))) {
      StreamClient client =
          StreamClient.open(
              loop,
              new StreamClient.Server(
                  "localhost",
                  server.port(Transport.TLS),
                  operator.material("snapt-1").clientBuilder().build(),
                  "other.test"),
              new ServerAddresses<>(),
              GuardLimits.STANDARD,
              new StreamClient.Events() {
                @Override
                public void onResponse(SipResponse response) {
                  end.complete("answered");
                }

                @Override
                public void onClosed(String why) {
                  end.complete(why);
                }
              });
      client.send(new SipRequest("PUBLISH", "sip:report@other.test", SipHeaders.NONE));
      assertThat(end.get(30, TimeUnit.SECONDS)).contains("other.test");
      assertThat(taken).isEmpty();
    } finally {
      loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  @Test
  void aProbeOfTheBridgeIsAnsweredAtOnceAndIsNoAnswerAboutKeys() throws Exception {
    bridge = startBridge(operator, 0);
    connect(operator.material("snapt-1"), bridge.port(), Duration.ofMinutes(1));
    await().until(() -> keysTold.get() == 2); // with the stream, and with the first turn
    bridge.probe(7);
    await().until(() -> bridge.statuses.size() == 3);
    assertThat(bridge.statuses.getLast().getProbe()).isEqualTo(7);
    await().until(() -> keysTold.get() == 3);
  }

  @Test
  void aSnaptWhoseIdIsInUseSaysSoOnceKeepsAskingAndComesInWhenItMay() throws Exception {
    ListAppender<ILoggingEvent> said = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(BridgeConnection.class);
    logger.addAppender(said);
    said.start();
    try {
      bridge = startBridge(operator, 0);
      bridge.refusal = Status.ALREADY_EXISTS.withDescription("id 'snapt-1' is in use by 192.0.2.1");
      connect(operator.material("snapt-1"), bridge.port());
      await().until(() -> bridge.statuses.size() > 3);
      assertThat(said.list.stream().filter(event -> event.getLevel() == Level.ERROR))
          .singleElement()
          .satisfies(event ->
              assertThat(event.getFormattedMessage())
                  .contains("refuses this SNAPT", "'snapt-1' is in use by 192.0.2.1"));
      bridge.refusal = null;
      await().until(() -> keysTold.get() > 0);
    } finally {
      logger.detachAppender(said);
    }
  }

  @Test
  void aSnaptThatTheBridgeDoesNotFindKnowsThatItIsNotEnrolledUntilAStatusIsAccepted()
      throws Exception {
    List<Boolean> enrolled = new CopyOnWriteArrayList<>();
    orders =
        new BridgeOrders() {
          @Override
          public void onOrder(DrainOrder order) {
            throw new AssertionError("no order was given");
          }

          @Override
          public void onEnrolment(boolean isEnrolled) {
            enrolled.add(isEnrolled);
          }
        };
    bridge = startBridge(operator, 0);
    bridge.refusal = Status.NOT_FOUND.withDescription("SNAPT 'snapt-1' is not enrolled");
    try (CapturedLog said = CapturedLog.of("io.viaduct.snapt")) {
      connect(operator.material("snapt-1"), bridge.port());
      await().until(() -> enrolled.size() >= 2);
      assertThat(said.lines("'snapt-1' is not enrolled")).hasSize(1);
    }
    assertThat(enrolled).containsOnly(false);
    bridge.refusal = null;
    await().until(() -> enrolled.contains(true));
  }

  @Test
  void aBridgeWithoutVerdictGetsNothingDeleted() throws Exception {
    bridge = startBridge(operator, 0);
    bridge.verdict = _ -> Optional.empty();
    connect(operator.material("snapt-1"), bridge.port());
    reporting.close(TestUsage.of(report(0)), () -> {});
    connection.settleSoon();
    await().until(() -> bridge.reports.size() == 1);
    connection.drain(Duration.ofMillis(100));
    assertThat(ReportSpool.open(folder.resolve("spool"), 100).pending()).isEqualTo(1);
  }

  @Test
  void aBridgeOfAnotherAuthorityGetsNoReport() throws Exception {
    TestOperator other = new TestOperator(folder.resolve("other"));
    bridge = startBridge(other, 0);
    try (CapturedLog said = CapturedLog.of("io.viaduct.snapt")) {
      connect(operator.material("snapt-1"), bridge.port());
      reporting.close(TestUsage.of(report(0)), () -> {});
      connection.settleSoon();
      await().during(Duration.ofSeconds(2)).until(() -> bridge.reports.isEmpty());
      assertThat(said.lines("bridge"))
          .as("one line for both streams and every attempt")
          .singleElement()
          .asString()
          .contains("bridge localhost:" + bridge.port(), "not signed by an authority")
          .hasLineCount(1);
    }
    assertThat(reporting.pending()).isEqualTo(1);
    assertThat(keysTold).hasValue(0);
  }

  @Test
  void aSnaptOfAnotherAuthorityIsNotHeard() throws Exception {
    TestOperator other = new TestOperator(folder.resolve("other"));
    bridge = startBridge(operator, 0);
    TlsMaterial own = other.material("snapt-1");
    connect(
        new TlsMaterial(own.chain(), own.key(), operator.material("x").authorities()),
        bridge.port());
    try (CapturedLog said = CapturedLog.of("io.viaduct.snapt")) {
      reporting.close(TestUsage.of(report(0)), () -> {});
      connection.settleSoon();
      await()
          .during(Duration.ofSeconds(2))
          .until(() -> bridge.reports.isEmpty() && bridge.statuses.isEmpty());
      assertThat(said.lines("Pipeline")).isEmpty();
      assertThat(said.lines("with a stack trace")).isEmpty();
    }
    assertThat(reporting.pending()).isEqualTo(1);
  }

  @Test
  void deferredReportsAreSentAgain() throws Exception {
    bridge = startBridge(operator, 0);
    AtomicInteger asked = new AtomicInteger();
    bridge.verdict =
        _ ->
            Optional.of(
                asked.incrementAndGet() < 3 ? ReportVerdict.DEFERRED : ReportVerdict.POSTED);
    connect(operator.material("snapt-1"), bridge.port());
    reporting.close(TestUsage.of(report(0)), () -> {});
    connection.settleSoon();
    await().until(() -> reporting.pending() == 0);
    assertThat(bridge.reports).hasSize(3);
  }
}
