package io.viaduct.bridge.revocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.viaduct.bridge.BridgeRig;
import io.viaduct.usage.v1.Revocation;
import io.viaduct.usage.v1.Revocations;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.SnaptsGrpc;
import io.viaduct.usage.v1.Subscriber;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Users are suspended, closed and lose devices in billing; SNAPTs get the list of revoked tokens
/// on their streams, over gRPC with mutual TLS (ADR 0071).
@Timeout(120)
class RevocationTest {
  private static final ByteString PHONE = ByteString.copyFrom(new byte[32]);
  private static final Duration LONG_AGO = Duration.ofSeconds(10); // a device is not new then

  @TempDir Path directory;
  private BridgeRig rig;

  @BeforeEach
  void start() throws Exception {
    rig = new BridgeRig(directory, BridgeRig.NO_BILLING, "");
  }

  @AfterEach
  void stop() throws Exception {
    rig.close();
  }

  /// A SNAPT and the lists that it was told.
  private final class Snapt implements StreamObserver<SnaptStatusAck>, AutoCloseable {
    private final ManagedChannel channel;
    private final List<SnaptStatusAck> answers = new CopyOnWriteArrayList<>();
    private final StreamObserver<SnaptStatus> statuses;
    private final SnaptStatus status;

    Snapt(String id) throws Exception {
      channel = rig.channel(rig.authority.material(id));
      statuses = SnaptsGrpc.newStub(channel).announce(this);
      status =
          SnaptStatus.newBuilder()
              .setSnaptId(id)
              .setHost(id + ".example")
              .setControlPort(443)
              .setDataPort(443)
              .setEpoch(1)
              .build();
      announce();
    }

    void announce() {
      statuses.onNext(status);
    }

    List<Revocations> lists() {
      return answers.stream()
          .filter(SnaptStatusAck::hasRevocations)
          .map(SnaptStatusAck::getRevocations)
          .toList();
    }

    boolean knows(String... entries) {
      return !lists().isEmpty() && words(lists().getLast()).equals(List.of(entries));
    }

    void learns(String... entries) {
      await().until(() -> knows(entries));
    }

    @Override
    public void onNext(SnaptStatusAck answer) {
      answers.add(answer);
    }

    @Override
    public void onError(Throwable cause) {}

    @Override
    public void onCompleted() {}

    @Override
    public void close() {
      channel.shutdownNow();
    }
  }

  private static List<String> words(Revocations list) {
    return list.getEntriesList().stream()
        .map(each ->
            each.getAccount()
                + (each.getDeviceKey().isEmpty() ? "" : "'s device")
                + " "
                + each.getReason())
        .toList();
  }

  private Subscriber with(String user, ByteString... devices) {
    return rig.users.subscriber(user).toBuilder()
        .clearDeviceKeys()
        .addAllDeviceKeys(List.of(devices))
        .build();
  }

  /// Gives a user a device, and waits until it is not new any more.
  private void own(String user, ByteString device) {
    rig.users.put(with(user, device));
    await().until(() -> rig.bridge.subscribers().hasDevice(user, device.toByteArray()));
    rig.clock.advance(LONG_AGO);
  }

  @Test
  void aSuspensionIsPushedOnTheOpenStreamAndTakenBackWhenTheUserIsReinstated() throws Exception {
    try (Snapt snapt = new Snapt("snapt-1")) {
      snapt.learns(); // nothing is revoked, and it is told so
      rig.users.suspend("alice", true);
      snapt.learns("alice SUSPENDED");
      Revocation entry = snapt.lists().getLast().getEntries(0);
      assertThat(entry.getUntilMs())
          .as("the last token has ended: 60 s, and a minute for clocks")
          .isEqualTo(rig.clock.millis() + 120_000);
      snapt.announce();
      await().until(() -> snapt.answers.size() >= 3);
      assertThat(snapt.answers.getLast().hasRevocations()).as("told again").isFalse();
      rig.users.suspend("alice", false);
      snapt.learns();
    }
  }

  @Test
  void aSnaptThatConnectsLaterGetsTheStateAndAClosedUserIsOnTheListUntilTheTokensHaveEnded()
      throws Exception {
    rig.users.remove("bob");
    await().until(() -> !rig.bridge.subscribers().contains("bob"));
    try (Snapt first = new Snapt("snapt-1");
        Snapt second = new Snapt("snapt-2")) {
      first.learns("bob CLOSED");
      second.learns("bob CLOSED");
      assertThat(rig.registry.get("viaduct_bridge_revocations").gauge().value()).isEqualTo(1);
      rig.clock.advance(Duration.ofSeconds(121));
      first.announce();
      second.announce();
      first.learns();
      second.learns();
    }
    assertThat(rig.registry.get("viaduct_bridge_revocations").gauge().value()).isZero();
  }

  @Test
  void aRemovedDeviceIsRevokedAndAllowedAgainOnceItIsBoundAgain() throws Exception {
    own("alice", PHONE);
    try (Snapt snapt = new Snapt("snapt-1")) {
      snapt.learns();
      rig.users.removeDevices("alice");
      snapt.learns("alice's device DEVICE_REMOVED");
      rig.bridge.subscribers().bound("alice", PHONE.toByteArray());
      snapt.learns();
    }
  }

  @Test
  void theLossOfADeviceThatIsNewCountsOnlyIfItLasts() throws Exception {
    Subscriber before = rig.users.subscriber("alice");
    try (Snapt snapt = new Snapt("snapt-1")) {
      snapt.learns();
      rig.bridge.subscribers().bound("alice", PHONE.toByteArray());
      // A state that billing read before it accepted the device, then a change that marks it.
      rig.users.put(before);
      rig.users.suspend("bob", true);
      snapt.learns("bob SUSPENDED");
      rig.clock.advance(Duration.ofSeconds(1));
      snapt.learns("bob SUSPENDED", "alice's device DEVICE_REMOVED");
    }
  }

  @Test
  void aRestartedBridgeHasItsListAndFindsWhatHasChangedMeanwhile() throws Exception {
    own("carol", PHONE);
    rig.users.suspend("alice", true);
    await().until(() -> !rig.bridge.subscribers().isActive("alice"));
    rig.bridge.close();
    assertThat(Files.exists(directory.resolve("state").resolve("revocations"))).isTrue();
    rig.users.removeDevices("carol");
    rig.users.remove("bob");
    rig.start(rig.configuration);
    try (Snapt snapt = new Snapt("snapt-1")) {
      await()
          .until(() ->
              !snapt.lists().isEmpty()
                  && List.copyOf(words(snapt.lists().getLast()))
                      .containsAll(
                          List.of(
                              "alice SUSPENDED", "bob CLOSED", "carol's device DEVICE_REMOVED")));
      rig.users.suspend("alice", false);
      await()
          .until(() -> words(snapt.lists().getLast()).stream().noneMatch(w -> w.contains("alice")));
    }
  }

  @Test
  void aBridgeThatDoesNotKnowTheUsersTellsNoListSoThatNothingIsTakenBack() throws Exception {
    rig.bridge.close();
    rig.users.close();
    Files.delete(directory.resolve("state").resolve("subscribers"));
    rig.start(rig.configuration);
    try (Snapt snapt = new Snapt("snapt-1")) {
      await().until(() -> !snapt.answers.isEmpty());
      snapt.announce();
      await().until(() -> snapt.answers.size() >= 2);
      assertThat(snapt.lists()).isEmpty();
      rig.restartUsers();
      await()
          .until(() -> {
            rig.clock.advance(Duration.ofSeconds(1));
            return snapt.knows();
          });
    }
  }
}
