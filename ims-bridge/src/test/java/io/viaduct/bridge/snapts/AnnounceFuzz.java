package io.viaduct.bridge.snapts;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.bridge.configuration.Snapt;
import io.viaduct.bridge.directory.PeerIdentity;
import io.viaduct.bridge.directory.Relay;
import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.directory.SnaptEntry;
import io.viaduct.bridge.token.TokenIssuer;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.SnaptStatusAck;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the statuses of a SNAPT. Input: a SnaptStatus, sent between two valid ones. Rules: the
/// status is accepted, and devices get an address and ports that they can connect to; or the stream
/// ends with INVALID_ARGUMENT and the directory is unchanged. The entries of other SNAPTs never
/// change.
final class AnnounceFuzz {
  private static final KeyPair KEY = Ed25519.generate();
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final SnaptStatus GOOD =
      SnaptStatus.newBuilder()
          .setSnaptId("snapt-1")
          .setHost("203.0.113.7")
          .setControlPort(443)
          .setDataPort(4500)
          .setEpoch(3)
          .setSessions(7)
          .setSessionsLimit(1000)
          .setUpBitPerSecond(1e6)
          .setVersion("0.1.0")
          .build();

  // The directory began so long ago that it is told although snapt-2 is not heard.
  private Instant now = NOW.minusSeconds(30);
  private final SnaptDirectory directory =
      new SnaptDirectory(
          List.of(configured("snapt-1"), configured("snapt-2")), Duration.ofSeconds(30), () -> now);
  private final TokenIssuer tokens =
      new TokenIssuer(KEY, List.of(), Duration.ofHours(1), "snapts", () -> NOW);
  private final Answers answers = new Answers();

  {
    now = NOW;
  }

  private static Snapt configured(String id) {
    byte[] key = Ed25519.raw((EdECPublicKey) KEY.getPublic());
    return new Snapt(
        id, Base64.getEncoder().encodeToString(key), "owner", "region", Optional.empty());
  }

  @ArgumentsSource(Corpus.class)
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void holds(byte[] input) {
    try {
      run(SnaptStatus.parseFrom(input));
    } catch (InvalidProtocolBufferException _) {
      return; // gRPC ends the stream
    }
  }

  private void run(SnaptStatus status) {
    StreamObserver<SnaptStatus> stream = open();
    stream.onNext(GOOD);
    List<SnaptEntry> before = directory.all();
    stream.onNext(status);
    boolean accepted = answers.why == null;
    if (accepted) {
      requireUsable(status);
    } else if (!directory.all().equals(before)) {
      throw new AssertionError("refused, and changed: " + directory.all());
    }
    if (!directory.all().get(1).equals(before.get(1))) {
      throw new AssertionError("another SNAPT's entry: " + directory.all());
    }
    stream.onNext(GOOD);
    stream.onCompleted();
    if (answers.acks != (accepted ? 3 : 1) || answers.completed != accepted) {
      throw new AssertionError(answers.acks + " acknowledged, accepted: " + accepted);
    }
  }

  private StreamObserver<SnaptStatus> open() {
    // Announcements use neither the streams of reports and credit nor billing.
    SnaptsService service =
        new SnaptsService(
            directory,
            new SnaptClaims(directory, () -> NOW),
            tokens,
            new SignedDirectories(tokens, () -> NOW),
            Optional::empty,
            null,
            null,
            null,
            null,
            1,
            null,
            null,
            () -> NOW,
            new SimpleMeterRegistry());
    Context caller = Context.current().withValue(PeerIdentity.NAME, "snapt-1");
    Context outside = caller.attach();
    try {
      return service.announce(answers);
    } finally {
      caller.detach(outside);
    }
  }

  private void requireUsable(SnaptStatus status) {
    SnaptStatus known = directory.all().getFirst().status();
    Relay told = directory.relays().getFirst();
    boolean right =
        status.equals(known)
            && told.equals(
                new Relay(
                    "snapt-1",
                    status.getHost(),
                    status.getControlPort(),
                    status.getDataPort(),
                    "region",
                    List.of()))
            && !told.host().isEmpty()
            && told.host().length() <= 253
            && told.host().chars().allMatch(c -> c > ' ' && c < 0x7F)
            && Math.min(told.controlPort(), told.dataPort()) > 0
            && Math.max(told.controlPort(), told.dataPort()) < 65_536
            && Math.min(known.getSessions(), known.getSessionsLimit()) >= 0
            && Math.min(known.getReportsPending(), known.getDatagramsRefused()) >= 0
            && known.getEpoch() >= 0
            && Double.isFinite(known.getUpBitPerSecond())
            && Double.isFinite(known.getDownBitPerSecond());
    if (!right) {
      throw new AssertionError("accepted: " + known + ", devices are told " + told);
    }
  }

  private final class Answers implements StreamObserver<SnaptStatusAck> {
    private int acks;
    private boolean completed;
    private Throwable why;

    @Override
    public void onNext(SnaptStatusAck ack) {
      if (why != null || !ack.getTokenKeysList().equals(tokens.publicKeys())) {
        throw new AssertionError("after " + why + " answered with " + ack);
      }
      acks++;
    }

    @Override
    public void onError(Throwable cause) {
      if (why != null || Status.fromThrowable(cause).getCode() != Status.Code.INVALID_ARGUMENT) {
        throw new AssertionError("ended for no reason", cause);
      }
      why = cause;
    }

    @Override
    public void onCompleted() {
      completed = true;
    }
  }

  static List<byte[]> seeds() {
    return List.of(
            GOOD.toBuilder().setHost("snapt-1.example").setDatagramsRefused(1L << 40).build(),
            GOOD.toBuilder().setSnaptId("snapt-2").build(),
            GOOD.toBuilder().setHost("two words").build(),
            GOOD.toBuilder().setHost("::1").setControlPort(65_536).build(),
            GOOD.toBuilder().setSessions(-1).build(),
            GOOD.toBuilder().setReportsPending(Long.MIN_VALUE).build(),
            GOOD.toBuilder().setDownBitPerSecond(Double.NaN).build(),
            SnaptStatus.getDefaultInstance())
        .stream()
        .map(SnaptStatus::toByteArray)
        .toList();
  }
}
