package io.viaduct.snapt.control;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.FuzzFolder;
import io.viaduct.snapt.TestIssuer;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionCarrier;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.reporting.Receipts;
import io.viaduct.snapt.reporting.ReportIdentity;
import io.viaduct.snapt.reporting.ReportSpool;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.ControlFrame.MalformedFrameException;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.control.ControlScript;
import io.viaduct.tunnel.control.DeviceProof;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.KeepAlive;
import io.viaduct.tunnel.control.v1.ReceiptAnswer;
import io.viaduct.tunnel.control.v1.TokenUpdate;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.Receipt;
import io.viaduct.usage.v1.ReceiptRefusal;
import io.viaduct.usage.v1.ReceiptRefusalReason;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedReceipt;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the SNAPT's handling of a device's messages: Hello, tokens, receipts, KeepAlives,
/// datagrams and Goodbye. After a valid Hello, the device is asked for one owed receipt.
///
/// Input: one octet (bit 0: a valid Hello comes first; bits 1–7: number of octets per read, 0 for
/// all), then the bytes above TLS.
///
/// Rules:
/// - The connection ends once, for a counted reason of the protocol. No message follows.
/// - Without the valid Hello there is no session, and no datagram reaches one.
/// - Each KeepAlive is answered with its number.
/// - A receipt is accepted only if the device has signed exactly the boundary.
/// - Texts are safe for a log and a terminal.
/// - Every buffer is released.
final class DeviceDialogFuzz implements SessionCarrier {
  private static final Set<ConnectionEnd> REASONS =
      EnumSet.of(
          ConnectionEnd.FRAME_MALFORMED,
          ConnectionEnd.UNEXPECTED_MESSAGE,
          ConnectionEnd.REFUSED,
          ConnectionEnd.SESSION_ENDED);
  private static final InetSocketAddress DEVICE = new InetSocketAddress("192.0.2.7", 50_000);
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final long NOW_MS = 1_790_000_000_000L;
  private static final int WORDS_MAX = 400;
  private static final byte[] EXPORTER = new byte[DeviceProof.EXPORTER_BYTES];
  private static final TestIssuer ISSUER = new TestIssuer();
  private static final TokenVerifier VERIFIER = ISSUER.verifier();
  private static final SslContext TLS = tls();
  private static final KeyPair DEVICE_KEY = Ed25519.generate();
  private static final ControlMessage HELLO = message(validHello());
  private static final UsageReport OWED = owed();
  private static final SignedReceipt SIGNED = signedReceipt();
  private static final ByteBuf SIGNATURE =
      Unpooled.wrappedBuffer(SIGNED.getSignature().toByteArray());
  private static final ReportSpool SPOOL = spool();

  private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
  private final EmbeddedChannel channel =
      new EmbeddedChannel() {
        @Override
        protected @Nullable SocketAddress remoteAddress0() {
          return isActive() ? DEVICE : null;
        }
      };
  private final Receipts receipts =
      new Receipts(SPOOL, (_, _, _, _) -> {}, Duration.ZERO, () -> {});
  private final ControlServer server;
  private final List<ControlMessage> said = new ArrayList<>();
  private boolean welcomed;
  private int sessions;
  private String breach = "";

  private DeviceDialogFuzz() {
    channel.config().setAllocator(memory);
    var pool = new AddressPool(Prefix.of("10.9.0.0/24"), Prefix.of("fd09::/64"));
    server =
        new ControlServer(
            new ControlServer.Settings(
                "snapt-1",
                1,
                8,
                8,
                LONG,
                LONG,
                LONG,
                443,
                "here",
                "",
                new TunnelLimits(1500, 0),
                List.of()),
            TLS,
            channel.eventLoop(),
            VERIFIER,
            new SessionRegistry(8, LONG, pool, this, () -> false, new Random(42)),
            receipts,
            () -> Instant.ofEpochMilli(NOW_MS));
    ControlConnection connection = new ControlConnection(server);
    connection.speak(channel);
    connection.secured(EXPORTER);
  }

  @ArgumentsSource(Corpus.class)
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void holds(byte[] input) {
    if (input.length < 1) {
      return;
    }
    int piece = input[0] >> 1 & 0x7F;
    welcomed = (input[0] & 1) != 0;
    run(Unpooled.wrappedBuffer(input, 1, input.length - 1), piece == 0 ? 65_536 : piece);
  }

  private void run(ByteBuf bytes, int piece) {
    if (welcomed) {
      channel.writeInbound(frames(HELLO));
      tellWhatIsOwed();
    }
    boolean signs = ByteBufUtil.indexOf(SIGNATURE, bytes) >= 0;
    List<Long> asked = ControlScript.asked(bytes.duplicate());
    while (bytes.isReadable() && channel.isOpen()) {
      channel.writeInbound(bytes.readRetainedSlice(Math.min(piece, bytes.readableBytes())));
    }
    channel.checkException();
    listen();
    require(breach.isEmpty(), breach);
    long taken = server.receiptOutcomes().of(ReceiptOutcome.SIGNED);
    require(taken <= (signs ? 1 : 0), taken + " receipts taken");
    require(sessions == (welcomed ? 1 : 0), sessions + " sessions, said " + said);
    requireEnd();
    List<Long> answered =
        said.stream()
            .filter(ControlMessage::hasKeepAlive)
            .map(m -> m.getKeepAlive())
            .peek(answer -> require(answer.getReply(), "asked within a moment"))
            .map(KeepAlive::getNumber)
            .toList();
    require(
        answered.equals(asked.subList(0, welcomed ? answered.size() : 0))
            && (!channel.isOpen() || !welcomed || answered.size() == asked.size()),
        "asked " + asked + ", answered " + answered);
    channel.finishAndReleaseAll();
    require(memory.metric().usedDirectMemory() == 0, "a buffer was not released");
  }

  private void tellWhatIsOwed() {
    try {
      receipts.settle(NOW_MS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    channel.runPendingTasks();
  }

  /// Checks that the connection is open, or has ended once, with the reason in the last message.
  private void requireEnd() {
    long ends = 0;
    for (ConnectionEnd why : ConnectionEnd.values()) {
      require(REASONS.contains(why) || server.ends().of(why) == 0, "ended: " + why);
      ends += server.ends().of(why);
    }
    require(ends == (channel.isOpen() ? 0 : 1), ends + " ends, open " + channel.isOpen());
    long last = said.stream().filter(each -> each.hasRefusal() || each.hasGoodbye()).count();
    boolean told =
        server.ends().of(ConnectionEnd.REFUSED) + server.ends().of(ConnectionEnd.SESSION_ENDED) > 0;
    require(last == (told ? 1 : 0), "said " + said);
    if (told) {
      ControlMessage words = said.getLast();
      requireWords(
          words.hasRefusal() ? words.getRefusal().getDetail() : words.getGoodbye().getReason());
    }
  }

  private void listen() {
    for (ByteBuf frame = channel.readOutbound(); frame != null; frame = channel.readOutbound()) {
      try {
        said.add(ControlFrame.read(frame).orElseThrow());
        require(!frame.isReadable(), "more than a frame");
      } catch (MalformedFrameException e) {
        throw new AssertionError("the SNAPT's own frame", e);
      } finally {
        frame.release();
      }
    }
    require(said.stream().filter(ControlMessage::hasWelcome).count() == sessions, "said " + said);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  private static void requireWords(String words) {
    require(
        words.length() <= WORDS_MAX && words.chars().noneMatch(Character::isISOControl),
        "not fit for a terminal: " + words);
  }

  @Override
  public int loops() {
    return 1;
  }

  @Override
  public void carry(Session session) {
    sessions++;
  }

  @Override
  public void onceCarried(Session session, Runnable then) {
    then.run();
  }

  @Override
  public void control(Session session, ControlLine.@Nullable Connection connection) {}

  // Netty would swallow an exception here, so the first violation is stored.
  @Override
  public void datagrams(Session session, List<ByteBuf> datagrams, Runnable taken) {
    for (ByteBuf datagram : datagrams) {
      if (!welcomed || !datagram.isDirect() || !datagram.release()) {
        breach = "a datagram that is not the session's: " + datagram;
      }
    }
    taken.run();
  }

  @Override
  public void end(Session session) {}

  private static SslContext tls() {
    try {
      return SslContextBuilder.forClient().build(); // nobody connects
    } catch (SSLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static SessionToken token() {
    return SessionToken.newBuilder()
        .setTokenId("t")
        .setAccount("alice")
        .setDeviceKey(ByteString.copyFrom(Ed25519.raw((EdECPublicKey) DEVICE_KEY.getPublic())))
        .setAudience(TestIssuer.AUDIENCE)
        .setNotBeforeMs(NOW_MS - 1000)
        .setExpiresMs(NOW_MS + 1000)
        .build();
  }

  private static UsageReport owed() {
    return UsageReport.newBuilder()
        .setSnaptId("snapt-1")
        .setSessionId(new UUID(0, 7).toString())
        .setEpoch(1)
        .setSequence(3)
        .setStartMs(NOW_MS - 5_000)
        .setEndMs(NOW_MS)
        .setPreBytes(1_000)
        .addFlows(FlowUsage.newBuilder().setDown(DirectionUsage.newBuilder().setPreBytes(1_000)))
        .build();
  }

  private static ReportSpool spool() {
    try {
      ReportSpool spool = ReportSpool.open(FuzzFolder.make("viaduct-device-dialog"), 8);
      SignedUsageReport envelope =
          SignedUsageReport.newBuilder()
              .setReport(OWED.toByteString())
              .setToken(SignedSessionToken.newBuilder().setToken(token().toByteString()))
              .build();
      spool.add(ReportIdentity.of(OWED), envelope);
      return spool;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static SignedReceipt signedReceipt() {
    ByteString receipt =
        Receipt.newBuilder()
            .setSnaptId("snapt-1")
            .setSessionId(OWED.getSessionId())
            .setEpoch(1)
            .setSequence(3)
            .setStartMs(OWED.getStartMs())
            .setEndMs(OWED.getEndMs())
            .setDownBytes(1_000)
            .build()
            .toByteString();
    return SignedReceipt.newBuilder()
        .setReceipt(receipt)
        .setSignature(SignedMessage.RECEIPT.sign(DEVICE_KEY.getPrivate(), receipt))
        .build();
  }

  private static ControlMessage answer(ReceiptAnswer.Builder answer) {
    return ControlMessage.newBuilder().setReceiptAnswer(answer).build();
  }

  private static Hello validHello() {
    try {
      return Hello.newBuilder()
          .setVersion(ControlFrame.VERSION)
          .setToken(ISSUER.sign(token().toByteString()))
          .setProof(ByteString.copyFrom(DeviceProof.sign(DEVICE_KEY.getPrivate(), EXPORTER)))
          .addFeatures(Feature.RECEIPTS)
          .addFeaturesValue(77)
          .addAeads(Aead.AES_256_GCM)
          .setPathMtu(1500)
          .setInnerIpv4(ByteString.copyFrom(new byte[] {10, 64, 0, 2}))
          .build();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ControlMessage message(Hello hello) {
    return ControlMessage.newBuilder().setHello(hello).build();
  }

  private static ByteBuf frames(ControlMessage... messages) {
    ByteBuf frames = Unpooled.buffer();
    for (ControlMessage message : messages) {
      ControlFrame.write(message, frames);
    }
    return frames;
  }

  private static byte[] input(int octet, ByteBuf frames) {
    return ByteBufUtil.getBytes(
        Unpooled.wrappedBuffer(new byte[] {(byte) octet}, ByteBufUtil.getBytes(frames)));
  }

  static List<byte[]> seeds() {
    ControlMessage alive =
        ControlMessage.newBuilder().setKeepAlive(KeepAlive.newBuilder().setNumber(7)).build();
    ControlMessage goodbye =
        ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder().setReason("over")).build();
    ControlMessage token =
        ControlMessage.newBuilder()
            .setTokenUpdate(TokenUpdate.newBuilder().setToken(HELLO.getHello().getToken()))
            .build();
    ControlMessage forged =
        message(Hello.newBuilder().setVersion(1).setToken(ByteString.copyFromUtf8("t")).build());
    ControlMessage receipt =
        answer(ReceiptAnswer.newBuilder().setSignedReceipt(SIGNED.toByteString()));
    ControlMessage forgedReceipt =
        answer(
            ReceiptAnswer.newBuilder()
                .setSignedReceipt(
                    SIGNED.toBuilder()
                        .setSignature(ByteString.copyFrom(new byte[64]))
                        .build()
                        .toByteString()));
    ControlMessage refusal =
        answer(
            ReceiptAnswer.newBuilder()
                .setRefusal(
                    ReceiptRefusal.newBuilder()
                        .setSessionId(OWED.getSessionId())
                        .setEpoch(1)
                        .setSequence(3)
                        .setReason(ReceiptRefusalReason.COUNTS_DIFFER)
                        .build()
                        .toByteString()));
    ByteBuf datagrams = frames(alive);
    ControlFrame.writeDatagrams(Unpooled.wrappedBuffer(new byte[40]), 20, datagrams);
    return List.of(
        input(0, frames(forged)),
        input(0, frames(message(Hello.newBuilder().setVersion(9).build()))),
        input(0, datagrams.duplicate()),
        input(0, frames(alive)),
        input(1, datagrams.duplicate()),
        input(1 | 3 << 1, frames(alive, token)),
        input(1, frames(alive, goodbye, alive)),
        input(1, frames(forged)),
        input(1, frames(token, receipt, receipt)),
        input(1, frames(forgedReceipt, token)),
        input(1, frames(refusal, token, goodbye)),
        input(1, frames(answer(ReceiptAnswer.newBuilder()))),
        input(0, frames(receipt)),
        input(1, Unpooled.wrappedBuffer(new byte[] {2, 0, 0, 0})));
  }
}
