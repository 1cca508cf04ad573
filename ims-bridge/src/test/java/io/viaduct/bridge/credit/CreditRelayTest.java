package io.viaduct.bridge.credit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.viaduct.bridge.BillingStub;
import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.ReservedPort;
import io.viaduct.bridge.registrar.CreditNotice;
import io.viaduct.bridge.registrar.CreditState;
import io.viaduct.bridge.registrar.Subscriber;
import io.viaduct.usage.ProvenReport;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SnaptsGrpc;
import io.viaduct.usage.v1.UsageReport;
import io.viaduct.usage.v1.UsedUnits;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A SNAPT asks for credit through a complete bridge: mutual TLS on both sides.
@Timeout(120)
class CreditRelayTest {
  private static final String SESSION = "4f0c";

  @TempDir Path directory;
  private final CreditStub credit = new CreditStub();
  private final BlockingQueue<CreditAnswer> answers = new LinkedBlockingQueue<>();
  private BridgeRig rig;
  private BillingStub billing;
  private ManagedChannel channel;
  private ProvenReport proven;
  private StreamObserver<CreditRequest> requests;
  private ReservedPort billingPort;

  @BeforeEach
  void start() throws Exception {
    billingPort = new ReservedPort();
    rig = new BridgeRig(directory, billingPort.number(), "");
    billing =
        new BillingStub(rig.authority.material("danum-billing"), billingPort.number(), credit);
    rig.awaitBilling();
    channel = rig.channel(rig.authority.material("snapt-1"));
    proven = rig.proven();
    requests = stream();
  }

  @AfterEach
  void stop() throws Exception {
    channel.shutdownNow();
    billing.close();
    rig.close();
    billingPort.close();
  }

  private StreamObserver<CreditRequest> stream() {
    return SnaptsGrpc.newStub(channel)
        .credit(
            new StreamObserver<>() {
              @Override
              public void onNext(CreditAnswer answer) {
                answers.add(answer);
              }

              @Override
              public void onError(Throwable cause) {}

              @Override
              public void onCompleted() {}
            });
  }

  private static CreditRequest.Builder request(long number) {
    return CreditRequest.newBuilder()
        .setSessionId(SESSION)
        .setAccount("alice")
        .setNumber(number)
        .setType(number == 1 ? CreditRequestType.INITIAL : CreditRequestType.UPDATE)
        .addUsed(
            UsedUnits.newBuilder()
                .setApplication("web")
                .setServiceClass(ServiceClass.HT_HD)
                .setTotalBytes(500));
  }

  private SignedSessionToken token(UnaryOperator<SessionToken.Builder> change) {
    long now = rig.clock.instant().toEpochMilli();
    return proven.token(
        UsageReport.newBuilder()
            .setAccount("alice")
            .setTokenId("token-1")
            .setStartMs(now)
            .setEndMs(now)
            .build(),
        change);
  }

  private SignedSessionToken token() {
    return token(UnaryOperator.identity());
  }

  private CreditAnswer next() throws InterruptedException {
    CreditAnswer answer = answers.poll(45, TimeUnit.SECONDS);
    assertThat(answer).isNotNull();
    return answer;
  }

  private double refused(String reason) {
    return rig.counter("viaduct_bridge_credit_refused", "reason", reason);
  }

  @Test
  void aRequestReachesBillingWithTheNameOfTheCertificateAndWithoutItsToken() throws Exception {
    requests.onNext(request(1).setToken(token()).build());
    CreditAnswer answer = next();
    assertThat(answer.getResult()).isEqualTo(CreditResult.SUCCESS);
    assertThat(answer.getGranted(0).getTotalBytes()).isEqualTo(1500);
    CreditRequest relayed = credit.requests.take();
    assertThat(relayed).isEqualTo(request(1).setSnaptId("snapt-1").build());
    requests.onNext(request(2).build());
    assertThat(next().getNumber()).isEqualTo(2);
  }

  @Test
  void aPushReachesTheSnaptOfTheSession() throws Exception {
    requests.onNext(request(1).setToken(token()).build());
    next();
    credit
        .streams
        .getFirst()
        .onNext(
            CreditAnswer.newBuilder()
                .setSnaptId("snapt-1")
                .setSessionId(SESSION)
                .setResult(CreditResult.ACCOUNT_BLOCKED)
                .build());
    CreditAnswer pushed = next();
    assertThat(pushed.getNumber()).isZero();
    assertThat(pushed.getResult()).isEqualTo(CreditResult.ACCOUNT_BLOCKED);
  }

  private void directory(boolean hasDevice, byte[] key) {
    rig.bridge
        .subscribers()
        .replaceAll(
            List.of(
                new Subscriber(
                    "alice",
                    false,
                    Map.of(),
                    Optional.empty(),
                    Set.of(),
                    hasDevice ? Set.of(ByteBuffer.wrap(key)) : Set.of(),
                    CreditState.SUFFICIENT,
                    CreditNotice.NONE)));
  }

  @Test
  void aDeviceThatIsRemovedLosesItsQuotasWithinASecondThoughItsTokenIsValid() throws Exception {
    SignedSessionToken token = token();
    byte[] key = SessionToken.parseFrom(token.getToken()).getDeviceKey().toByteArray();
    directory(true, key);
    requests.onNext(request(1).setToken(token).build());
    assertThat(next().getResult()).isEqualTo(CreditResult.SUCCESS);
    credit.requests.take();
    directory(false, key);
    rig.clock.advance(Duration.ofMillis(500));
    CreditAnswer pushed = next();
    assertThat(pushed.getNumber()).isZero();
    assertThat(pushed.getSessionId()).isEqualTo(SESSION);
    assertThat(pushed.getResult()).isEqualTo(CreditResult.ACCOUNT_BLOCKED);
    assertThat(pushed.getGrantedList()).isEmpty();
    assertThat(pushed.getReason()).contains("the device was removed");
    requests.onNext(request(2).setToken(token).build());
    assertThat(next().getResult()).isEqualTo(CreditResult.ACCOUNT_BLOCKED);
    assertThat(refused("device_removed")).isEqualTo(2);
    assertThat(credit.requests).as("requests that reached billing").isEmpty();
    directory(true, key);
    requests.onNext(request(3).build());
    assertThat(next().getResult()).as("added again").isEqualTo(CreditResult.SUCCESS);
  }

  @Test
  void aDeviceThatTheDirectoryDoesNotKnowYetHasItsQuotas() throws Exception {
    directory(false, new byte[0]);
    requests.onNext(request(1).setToken(token()).build());
    assertThat(next().getResult()).isEqualTo(CreditResult.SUCCESS);
    rig.clock.advance(Duration.ofSeconds(10));
    requests.onNext(request(2).build());
    assertThat(next().getResult())
        .as("while billing sends no changes, a device may be new")
        .isEqualTo(CreditResult.SUCCESS);
  }

  @Test
  void onlyASessionThatHasShownItsTokenIsRelayed() throws Exception {
    requests.onNext(request(1).build());
    assertThat(next().getReason()).contains("must have its token");
    requests.onNext(request(1).setToken(token(t -> t.setAccount("bob"))).build());
    assertThat(next().getReason()).contains("account must be the token's 'bob'");
    requests.onNext(request(1).setToken(token(t -> t.setAudience("others"))).build());
    assertThat(next().getReason()).contains("the token is for 'others'");
    requests.onNext(
        request(1)
            .setToken(token(t -> t.setExpiresMs(rig.clock.instant().toEpochMilli() - 60_000)))
            .build());
    assertThat(next().getReason()).contains("the token is valid from");
    requests.onNext(
        request(1).setToken(new ProvenReport().token(UsageReport.getDefaultInstance())).build());
    assertThat(next().getReason()).contains("no token key is named");
    requests.onNext(request(1).setToken(token()).build());
    assertThat(next().getResult()).isEqualTo(CreditResult.SUCCESS);
    requests.onNext(request(2).setAccount("bob").build());
    assertThat(next().getReason()).contains("token of another account");
    requests.onNext(request(2).setSnaptId("snapt-2").build());
    CreditAnswer foreign = next();
    assertThat(foreign.getResult()).isEqualTo(CreditResult.REQUEST_REFUSED);
    assertThat(foreign.getReason()).contains("snapt_id must be 'snapt-1'");
    assertThat(credit.requests).hasSize(1);
    assertThat(refused("token_missing")).isEqualTo(1);
    assertThat(refused("token_of_other_session")).isEqualTo(1);
    assertThat(refused("other_account")).isEqualTo(1);
    assertThat(refused("foreign_snapt")).isEqualTo(1);
  }

  @Test
  void whileBillingIsAwayEachRequestIsAnsweredAndItsReturnIsNoticed() throws Exception {
    credit.isSilent = true;
    requests.onNext(request(1).setToken(token()).build());
    credit.requests.take();
    credit.endStreams();
    CreditAnswer unanswered = next();
    assertThat(unanswered.getResult()).isEqualTo(CreditResult.UNABLE_TO_DELIVER);
    assertThat(unanswered.getNumber()).isEqualTo(1);
    credit.isSilent = false;
    requests.onNext(request(2).build());
    assertThat(next().getResult()).as("over a new stream").isEqualTo(CreditResult.SUCCESS);
    billing.close();
    requests.onNext(request(3).build());
    assertThat(next().getResult()).isEqualTo(CreditResult.UNABLE_TO_DELIVER);
    assertThat(refused("billing_away")).isEqualTo(2);
    billing =
        new BillingStub(rig.authority.material("danum-billing"), billingPort.number(), credit);
    AtomicLong number = new AtomicLong(3);
    await()
        .until(() -> {
          requests.onNext(request(number.incrementAndGet()).build());
          return next().getResult() == CreditResult.SUCCESS;
        });
  }

  @Test
  void theStreamToBillingEndsWithThatOfTheSnapt() throws Exception {
    requests.onNext(request(1).setToken(token()).build());
    next();
    requests.onCompleted();
    await().until(credit.streams::isEmpty);
    assertThat(rig.registry.get("viaduct_bridge_credit_streams").gauge().value()).isZero();
  }

  @Test
  void moreRequestsThanMayBeUnansweredAreAllAnswered() throws Exception {
    requests.onNext(request(1).setToken(token()).build());
    for (int i = 2; i <= 500; i++) {
      requests.onNext(request(i).build());
    }
    for (int i = 1; i <= 500; i++) {
      assertThat(next().getNumber()).isEqualTo(i);
    }
  }
}
