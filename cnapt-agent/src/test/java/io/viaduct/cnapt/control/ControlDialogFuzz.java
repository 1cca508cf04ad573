package io.viaduct.cnapt.control;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.viaduct.cnapt.receipts.LineReceipts;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.cnapt.receipts.ReceiptSettings;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.ControlFrame.MalformedFrameException;
import io.viaduct.tunnel.control.ControlScript;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.KeepAlive;
import io.viaduct.tunnel.control.v1.ReceiptAnswer;
import io.viaduct.tunnel.control.v1.Refusal;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.control.v1.TokenAccepted;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.Receipt;
import io.viaduct.usage.v1.ReceiptRefusal;
import io.viaduct.usage.v1.SignedReceipt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the agent's handling of a SNAPT's messages: Welcome, Refusal, lists, tokens, boundaries
/// and datagrams.
///
/// Input: one octet (bit 0: there is a configured SNAPT; bits 1–7: number of octets per read, 0 for
/// all), then the bytes above TLS.
///
/// Rules:
/// - The connection ends once, for a reason of the protocol. The listener is not called after that.
/// - There is at most one Welcome, and its session can be opened and resumed.
/// - The next candidate is a valid SNAPT.
/// - Each KeepAlive is answered with its number. Boundaries are answered, and never more is signed
///   than was counted.
/// - Texts are safe for a log and a terminal.
final class ControlDialogFuzz implements ControlListener {
  private static final Set<ControlFailure> REASONS =
      Set.of(
          ControlFailure.MALFORMED,
          ControlFailure.REFUSED,
          ControlFailure.GOODBYE,
          ControlFailure.SNAPT_ID_MISMATCH);
  private static final Snapt SNAPT = new Snapt("snapt-1", "127.0.0.1", 443);
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final ControlSettings SETTINGS = new ControlSettings(LONG, LONG, LONG, LONG, LONG);
  private static final Greeting GREETING =
      new Greeting(
          List.of(Aead.AES_256_GCM),
          List.of("web"),
          new TunnelLimits(1500, 65_536),
          "10.64.0.2",
          "",
          "fuzz",
          false);
  private static final DeviceIdentity DEVICE = device();
  private static final ReceiptLedger LEDGER = ledger();
  private static final long COUNTED = 5_000;
  private static final SSLEngine TLS = engine();
  private static final int WORDS_MAX = 400;

  private boolean bootstrap;
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private ControlClient client;
  private ControlDialog dialog;
  private ControlConnection connection;
  private final List<ControlFailure> lost = new ArrayList<>();
  private int welcomes;
  private final Map<Long, Receipt> signed = new HashMap<>();
  private int refusals;
  private String breach = "";

  private void open() {
    client =
        new ControlClient(
            new ControlTransport(
                channel.eventLoop(),
                () -> {
                  throw new AssertionError("without a token nobody is asked");
                },
                0,
                List::of),
            SETTINGS,
            DEVICE,
            GREETING,
            new DeviceSnapts(
                new SnaptSettings(bootstrap ? SNAPT.host() : "", 443, SNAPT.id()),
                new SnaptClaims(),
                new BridgeDirectory(() -> 0)),
            new LineReceipts(LEDGER, 0),
            new Random(42),
            this);
    dialog =
        new ControlDialog(
            channel.eventLoop(),
            SETTINGS,
            GREETING,
            new ShownToken(DEVICE, new byte[0]),
            new Resumption("resumed", 7, 0),
            LEDGER,
            client);
    connection =
        new ControlConnection(
            SNAPT,
            new ControlWay(null, InetAddress.getLoopbackAddress()),
            null, // nobody connects
            0,
            1000,
            channel.eventLoop(),
            dialog);
    connection.speak(channel, TLS);
  }

  @ArgumentsSource(Corpus.class)
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void holds(byte[] input) {
    if (input.length < 1) {
      return;
    }
    int piece = input[0] >> 1 & 0x7F;
    bootstrap = (input[0] & 1) != 0;
    open();
    run(Unpooled.wrappedBuffer(input, 1, input.length - 1), piece == 0 ? 65_536 : piece);
  }

  private void run(ByteBuf bytes, int piece) {
    List<Long> asked = ControlScript.asked(bytes.duplicate());
    while (bytes.isReadable() && channel.isOpen()) {
      channel.writeInbound(bytes.readRetainedSlice(Math.min(piece, bytes.readableBytes())));
    }
    channel.checkException();
    if (!breach.isEmpty()) {
      throw new AssertionError(breach);
    }
    long refused = 0;
    for (RefusalCode code : RefusalCode.values()) {
      refused += code == RefusalCode.UNRECOGNIZED ? 0 : client.counts().refusals(code);
    }
    if (channel.isOpen() != lost.isEmpty() || dialog.isEstablished() != (welcomes == 1)) {
      throw new AssertionError("open: " + channel.isOpen() + ", told: " + lost + ", " + welcomes);
    }
    if (refused != (lost.contains(ControlFailure.REFUSED) ? 1 : 0) || refusals > refused) {
      throw new AssertionError(refused + " refusals counted, told: " + lost);
    }
    List<Long> answered = answered();
    if (!answered.equals(asked.subList(0, answered.size()))
        || (lost.isEmpty() && answered.size() != asked.size())) {
      throw new AssertionError("asked: " + asked + ", answered: " + answered);
    }
    channel.finishAndReleaseAll();
  }

  private List<Long> answered() {
    List<Long> numbers = new ArrayList<>();
    for (ByteBuf frame = channel.readOutbound(); frame != null; frame = channel.readOutbound()) {
      try {
        ControlMessage said = ControlFrame.read(frame).orElseThrow();
        if (said.hasReceiptAnswer() && !frame.isReadable()) {
          receipt(said.getReceiptAnswer());
          continue;
        }
        KeepAlive answer = said.getKeepAlive();
        if (!answer.getReply() || frame.isReadable()) {
          throw new AssertionError("the agent says more than that it is there");
        }
        numbers.add(answer.getNumber());
      } catch (MalformedFrameException e) {
        throw new AssertionError("the agent's own frame", e);
      } finally {
        frame.release();
      }
    }
    return numbers;
  }

  private void receipt(ReceiptAnswer answer) {
    try {
      if (!answer.hasSignedReceipt()) {
        ReceiptRefusal.parseFrom(answer.getRefusal());
        return;
      }
      SignedReceipt signed = SignedReceipt.parseFrom(answer.getSignedReceipt());
      Receipt receipt = Receipt.parseFrom(signed.getReceipt());
      this.signed.put(receipt.getSequence(), receipt);
      if (!SignedMessage.RECEIPT.isSignedBy(
          Ed25519.publicKey(DEVICE.publicKey()), signed.getReceipt(), signed.getSignature())) {
        throw new AssertionError("a signature that does not hold");
      }
      long sum = this.signed.values().stream().mapToLong(Receipt::getUpBytes).sum();
      if (receipt.getUpBytes() < 0 || sum > COUNTED) {
        throw new AssertionError("signed more than was counted: " + this.signed);
      }
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("the agent's own receipt", e);
    }
  }

  // Netty would swallow an exception of the listener, so the first violation is stored.
  private void broken(String rule) {
    breach = breach.isEmpty() ? rule : breach;
  }

  private void requireStanding(String what) {
    if (!lost.isEmpty()) {
      broken(what + " after " + lost);
    }
  }

  private void requireWords(String words) {
    if (words.length() > WORDS_MAX || words.chars().anyMatch(Character::isISOControl)) {
      broken("not fit for a terminal: " + words);
    }
  }

  @Override
  public void welcomed(Welcomed by) {
    requireStanding("welcomed");
    requireWords(by.toString());
    Welcome welcome = by.welcome();
    LEDGER
        .begin(0, welcome.getSnaptId(), welcome.getSessionId(), welcome.getEpoch())
        .note(COUNTED, COUNTED, 0, 0, 0);
    if (++welcomes > 1
        || !GREETING.wrongWith(welcome, "resumed").isEmpty()
        || !welcome.getSnaptId().equals(SNAPT.id())
        || by.peers().control().getPort() != welcome.getDataPort()) {
      broken("welcomed by " + welcome);
    }
    ControlFrame.write(
        ControlMessage.newBuilder()
            .setHello(
                GREETING.hello(
                    new byte[8192],
                    new byte[64],
                    new Resumption(welcome.getSessionId(), 7, 0),
                    false))
            .build(),
        Unpooled.buffer());
  }

  @Override
  public void lost(ControlFailure why, String detail) {
    requireStanding("lost " + why);
    requireWords(detail);
    if (!REASONS.contains(why)) {
      broken("lost by a fault of our own: " + why + ": " + detail);
    }
    lost.add(why);
  }

  @Override
  public void tokenRefused(String detail) {
    requireStanding("token refused");
    requireWords(detail);
    refusals++;
  }

  @Override
  public void credit(CreditNotice notice) {}

  @Override
  public void tokenAccepted(long expiresMs) {
    requireStanding("token accepted");
  }

  @Override
  public void relays(List<Snapt> relays) {
    requireStanding("relays");
    Set<String> places = new HashSet<>();
    for (Snapt relay : relays) {
      requireWords(relay.toString());
      if (!places.add(relay.host() + " " + relay.controlPort())
          || relay.host().isEmpty()
          || relay.controlPort() < 1
          || relay.controlPort() > 65_535) {
        broken("to be asked: " + relays);
      }
    }
    if (relays.isEmpty() || relays.size() > 64) {
      broken("to be asked: " + relays);
    }
  }

  @Override
  public long carriedBytes() {
    return 0;
  }

  @Override
  public void datagrams(List<ByteBuf> datagrams, Runnable taken) {
    if (welcomes == 0) {
      broken("datagrams of a session that there is not");
    }
    for (ByteBuf datagram : datagrams) {
      if (!datagram.isDirect() || !datagram.release()) {
        broken("a datagram that is not the listener's: " + datagram);
      }
    }
    taken.run();
  }

  private static DeviceIdentity device() {
    try {
      Path folder = Files.createTempDirectory("viaduct-dialog-fuzz");
      Path file = folder.resolve("device.pem");
      Ed25519.writePrivate(file, Ed25519.generate().getPrivate());
      DeviceIdentity read = DeviceIdentity.read(file);
      Files.delete(file);
      Files.delete(folder);
      return read;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ReceiptLedger ledger() {
    Path memory = Path.of("/dev/shm");
    try {
      Path folder =
          Files.isWritable(memory)
              ? Files.createTempDirectory(memory, "viaduct-ledger-fuzz")
              : Files.createTempDirectory("viaduct-ledger-fuzz");
      folder.toFile().deleteOnExit();
      folder.resolve("receipts").toFile().deleteOnExit();
      return ReceiptLedger.open(
          folder, new ReceiptSettings(0, 0, 0), DEVICE::sign, () -> Instant.EPOCH);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static SSLEngine engine() {
    try {
      return SSLContext.getDefault().createSSLEngine();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ControlMessage.Builder message() {
    return ControlMessage.newBuilder();
  }

  private static ControlMessage welcome(String session) {
    return welcome(session, "two", 443);
  }

  private static ControlMessage welcome(String session, String host, int port) {
    return message()
        .setWelcome(
            Welcome.newBuilder()
                .setSessionId(session)
                .setSecret(ByteString.copyFrom(new byte[32]))
                .setReceiverIndex(5)
                .setDataPort(4500)
                .setPathMtu(1400)
                .setAead(Aead.AES_256_GCM)
                .setSnaptId(SNAPT.id())
                .addFeatures(Feature.RECEIPTS)
                .addFeaturesValue(77)
                .addRelays(Relay.newBuilder().setHost(host).setControlPort(port)))
        .build();
  }

  private static ControlMessage refusal(RefusalCode code, String words) {
    return message().setRefusal(Refusal.newBuilder().setCode(code).setDetail(words)).build();
  }

  private static ControlMessage keepAlive(long number) {
    return message().setKeepAlive(KeepAlive.newBuilder().setNumber(number)).build();
  }

  /// @param said messages, or the bytes of a datagram
  private static byte[] input(int octet, Object... said) {
    ByteBuf bytes = Unpooled.buffer().writeByte(octet);
    for (Object each : said) {
      if (each instanceof MessageLite message) {
        ControlFrame.write((ControlMessage) message, bytes);
      } else {
        byte[] datagram = (byte[]) each;
        ControlFrame.writeDatagrams(Unpooled.wrappedBuffer(datagram), datagram.length, bytes);
      }
    }
    return ByteBufUtil.getBytes(bytes);
  }

  static List<byte[]> seeds() {
    ControlMessage goodbye =
        message().setGoodbye(Goodbye.newBuilder().setReason("stops\u001b[2J")).build();
    ControlMessage boundary =
        message().setIntervalBoundary(IntervalBoundary.newBuilder().setEndMs(-1)).build();
    ControlMessage half =
        message()
            .setIntervalBoundary(
                IntervalBoundary.newBuilder().setUpBytes(COUNTED / 2).setDownBytes(COUNTED))
            .build();
    ControlMessage more =
        message()
            .setIntervalBoundary(
                IntervalBoundary.newBuilder().setSequence(1).setUpBytes(COUNTED).setSessionId("s"))
            .build();
    ControlMessage earlier =
        message()
            .setIntervalBoundary(IntervalBoundary.newBuilder().setSessionId("th\nere"))
            .build();
    ControlMessage accepted =
        message().setTokenAccepted(TokenAccepted.newBuilder().setExpiresMs(1L << 40)).build();
    return List.of(
        input(1, welcome("s"), keepAlive(1), boundary, accepted, keepAlive(2), goodbye),
        input(6, welcome("s"), new byte[40], keepAlive(4), new byte[1400]),
        input(0, welcome("s", "three", 70_000)),
        input(1, welcome("s"), half, half, more, earlier, keepAlive(9)),
        input(0, welcome("s", "th\nree", 443), welcome("s")),
        input(0, welcome("s".repeat(40_000))),
        input(1, refusal(RefusalCode.TOKEN_EXPIRED, "since\n1970"), keepAlive(3)),
        input(0, refusal(RefusalCode.DRAINING, "")),
        input(0, new byte[40]),
        input(0, keepAlive(5), keepAlive(-1)));
  }
}
