package io.viaduct.snapt.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.TestBridge;
import io.viaduct.snapt.TestControl;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.snapt.binding.SessionEnd;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.Refusal;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.TokenUpdate;
import io.viaduct.usage.v1.Revocation;
import io.viaduct.usage.v1.Revocations;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tokens that the bridge revokes before their end, over real TLS (ADR 0071).
class RevocationTest {
  private static final long LATER_MS = System.currentTimeMillis() + 3_600_000;

  @TempDir Path folder;
  private static TestOperator operator;
  private TestSnapt snapt;
  private ControlStand stand;
  private final KeyPair phone = Ed25519.generate();
  private final KeyPair laptop = Ed25519.generate();

  @BeforeAll
  static void issue(@TempDir Path shared) throws Exception {
    operator = new TestOperator(shared.resolve("pki"));
  }

  @BeforeEach
  void start() throws Exception {
    stand = new ControlStand(operator, folder, 16);
    snapt = stand.snapt;
  }

  @AfterEach
  void stop() {
    stand.close();
  }

  private TestControl hello(String account, KeyPair device) throws Exception {
    return stand.hello(account, device);
  }

  private TestControl welcomed(String account, KeyPair device) throws Exception {
    TestControl control = hello(account, device);
    assertThat(control.next().hasWelcome()).isTrue();
    return control;
  }

  private ByteString token(String account, KeyPair device) {
    return stand.token(account, device);
  }

  private static Revocation.Builder of(String account, Revocation.Reason reason) {
    return Revocation.newBuilder().setAccount(account).setReason(reason).setUntilMs(LATER_MS);
  }

  private static Revocation removed(String account, KeyPair device) {
    return of(account, Revocation.Reason.DEVICE_REMOVED)
        .setDeviceKey(ByteString.copyFrom(Ed25519.raw((EdECPublicKey) device.getPublic())))
        .build();
  }

  private static SnaptStatusAck answer(Revocation... entries) {
    return SnaptStatusAck.newBuilder()
        .setRevocations(Revocations.newBuilder().addAllEntries(List.of(entries)))
        .build();
  }

  private Refusal refusal(String account, KeyPair device) throws Exception {
    return hello(account, device).next().getRefusal();
  }

  @Test
  void theSessionsOfASuspendedAccountEndWithTheReasonAndTheirReportsAndNoTokenOpensOthers()
      throws Exception {
    TestControl first = welcomed("alice", phone);
    TestControl second = welcomed("alice", laptop);
    TestControl other = welcomed("bob", Ed25519.generate());
    snapt.told(answer(of("alice", Revocation.Reason.SUSPENDED).build()));
    for (TestControl each : List.of(first, second)) {
      assertThat(each.next().getGoodbye())
          .isEqualTo(
              Goodbye.newBuilder()
                  .setReason("REVOKED: the account is suspended: ask your operator")
                  .build());
      assertThat(each.isClosedWithin(5)).isTrue();
    }
    await().until(() -> snapt.reports.size() == 2);
    assertThat(snapt.reports).allSatisfy(report -> assertThat(report.getLast()).isTrue());
    assertThat(snapt.registry.ends().of(SessionEnd.REVOKED)).isEqualTo(2);
    Refusal refusal = refusal("alice", phone);
    assertThat(refusal.getCode()).isEqualTo(RefusalCode.TOKEN_REVOKED);
    assertThat(refusal.getDetail()).isEqualTo("the account is suspended: ask your operator");
    assertThat(snapt.control.refusals().of(RefusalCode.TOKEN_REVOKED)).isEqualTo(1);
    other.send(
        ControlMessage.newBuilder()
            .setTokenUpdate(
                TokenUpdate.newBuilder()
                    .setToken(token("alice", phone))
                    .setProof(other.proof(phone)))
            .build());
    assertThat(other.next().getRefusal().getCode()).isEqualTo(RefusalCode.TOKEN_REVOKED);
    assertThat(snapt.registry.size()).as("bob's session").isEqualTo(1);
  }

  @Test
  void aRemovedDeviceLosesItsSessionAndTheOtherDevicesOfTheAccountKeepTheirs() throws Exception {
    TestControl lost = welcomed("alice", phone);
    TestControl kept = welcomed("alice", laptop);
    snapt.told(answer(removed("alice", phone)));
    assertThat(lost.next().getGoodbye().getReason())
        .isEqualTo("REVOKED: this device was removed from its account: see the account's page");
    assertThat(refusal("alice", phone).getCode()).isEqualTo(RefusalCode.TOKEN_REVOKED);
    assertThat(kept.isClosedWithin(1)).isFalse();
    assertThat(snapt.registry.size()).isEqualTo(1);
    // The key is bound to an account: with another one it may be sold or given away.
    assertThat(hello("bob", phone).next().hasWelcome()).isTrue();
  }

  @Test
  void aRevocationThatIsNotInTheNextListIsTakenBack() throws Exception {
    snapt.told(answer(of("alice", Revocation.Reason.CLOSED).build(), removed("bob", phone)));
    assertThat(refusal("alice", laptop).getDetail())
        .isEqualTo("the account is closed: ask your operator");
    snapt.told(answer(removed("bob", phone)));
    welcomed("alice", laptop);
    assertThat(refusal("bob", phone).getCode()).isEqualTo(RefusalCode.TOKEN_REVOKED);
    snapt.told(answer());
    welcomed("bob", phone);
    assertThat(snapt.revoked.count()).isZero();
  }

  @Test
  void anAnswerWithoutAListAsOfABridgeOfTheVersionBeforeChangesNothing() throws Exception {
    snapt.told(answer(of("alice", Revocation.Reason.SUSPENDED).build()));
    snapt.told(SnaptStatusAck.newBuilder().addTokenKeys(operator.tokenKey()).build());
    assertThat(refusal("alice", phone).getCode()).isEqualTo(RefusalCode.TOKEN_REVOKED);
  }

  @Test
  void anEntryWhoseTokensHaveEndedRevokesNothing() throws Exception {
    snapt.told(
        answer(
            of("alice", Revocation.Reason.SUSPENDED)
                .setUntilMs(System.currentTimeMillis() - 1)
                .build()));
    welcomed("alice", phone);
  }

  @Test
  void theNextStartKnowsTheListWithoutABridge() throws Exception {
    snapt.told(answer(of("alice", Revocation.Reason.SUSPENDED).build()));
    ToldRevocations next = ToldRevocations.open(folder.resolve("revocations"));
    assertThat(next.count()).isEqualTo(1);
    assertThat(next.accept(answer(of("alice", Revocation.Reason.SUSPENDED).build())))
        .as("the same list is a change")
        .isFalse();
    assertThat(Files.getPosixFilePermissions(folder.resolve("revocations"))).hasSize(2);
  }

  @Test
  void aSnaptThatIsCutOffServesValidTokensAndKeepsReportsAndObeysTheListOfTheNextStream()
      throws Exception {
    InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    TestBridge before =
        new TestBridge(operator.material("ims-bridge"), anywhere, operator.tokenKey());
    int port = before.port();
    snapt.announceTo(channel(port));
    await().until(() -> !before.statuses.isEmpty());
    before.close();
    TestControl alice = welcomed("alice", phone);
    TestControl bob = welcomed("bob", laptop);
    bob.send(ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder()).build());
    await().until(() -> snapt.spool.pending() == 1);
    try (TestBridge after =
        new TestBridge(
            operator.material("ims-bridge"),
            new InetSocketAddress(anywhere.getAddress(), port),
            operator.tokenKey())) {
      after.revocations = answer(of("alice", Revocation.Reason.SUSPENDED).build()).getRevocations();
      assertThat(alice.next().getGoodbye().getReason()).startsWith("REVOKED");
      await().until(() -> snapt.spool.pending() == 0);
      assertThat(after.reports)
          .extracting(UsageReport::getAccount)
          .containsExactlyInAnyOrder("alice", "bob");
    }
  }

  private static ManagedChannel channel(int port) throws Exception {
    return NettyChannelBuilder.forAddress("localhost", port)
        .sslContext(
            GrpcSslContexts.configure(operator.material("snapt-1").clientBuilder(), SslProvider.JDK)
                .build())
        .build();
  }

  @Test
  void aListAboveTheLimitOrWithEntriesThatNameNothingHarmsNobody() throws Exception {
    TestControl alice = welcomed("alice", phone);
    Revocations.Builder many = Revocations.newBuilder().addEntries(Revocation.newBuilder());
    many.addEntries(
        of("alice", Revocation.Reason.SUSPENDED).setDeviceKey(ByteString.copyFromUtf8("x")));
    for (int i = 0; i < ToldRevocations.ENTRIES_MAX; i++) {
      many.addEntries(of("user-" + i, Revocation.Reason.SUSPENDED).setReasonValue(99));
    }
    snapt.told(SnaptStatusAck.newBuilder().setRevocations(many).build());
    assertThat(snapt.revoked.count()).isEqualTo(ToldRevocations.ENTRIES_MAX);
    assertThat(refusal("user-7", laptop).getDetail())
        .isEqualTo("the token was revoked: ask your operator");
    assertThat(alice.isClosedWithin(1)).isFalse();
  }
}
