package io.viaduct.cnapt.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.cnapt.receipts.SessionCounts;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.KeepAlive;
import io.viaduct.tunnel.control.v1.Refusal;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.Receipt;
import io.viaduct.usage.v1.ReceiptRefusal;
import io.viaduct.usage.v1.ReceiptRefusalReason;
import io.viaduct.usage.v1.SignedReceipt;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests boundaries and their answers over real TLS.
class BoundaryTest {
  @TempDir Path folder;
  private TestAgent agent;
  private TestSnapt snapt;

  @BeforeEach
  void start() throws Exception {
    agent = new TestAgent(folder);
  }

  @AfterEach
  void stop() {
    agent.close();
    snapt.close();
  }

  private void serve(BiConsumer<TestSnapt.Client, ControlMessage> answers, Feature... features)
      throws Exception {
    snapt =
        new TestSnapt(
            TestSnapt.certificate(agent.authority, "snapt-1", TestAgent.HERE),
            ControlFrame.ALPN,
            (client, message) -> {
              if (message.hasHello()) {
                ControlMessage.Builder welcome = TestSnapt.welcome("s1", false);
                welcome.getWelcomeBuilder().addAllFeatures(List.of(features)).addFeaturesValue(99);
                client.send(welcome);
              }
              answers.accept(client, message);
            });
    agent.connect(
        new SnaptSettings(TestAgent.HERE, snapt.port(), "snapt-1"),
        TestAgent.settings(Duration.ofSeconds(10), Duration.ofSeconds(1)));
    await().until(() -> !agent.welcomed.isEmpty());
  }

  private SessionCounts begin() {
    return agent.onLoop(() -> agent.ledger().begin(0, "snapt-1", "s1", 0));
  }

  private void ask(long sequence, long up, long down, String session) {
    snapt
        .clients
        .peek()
        .send(
            ControlMessage.newBuilder()
                .setIntervalBoundary(
                    IntervalBoundary.newBuilder()
                        .setSequence(sequence)
                        .setUpBytes(up)
                        .setDownBytes(down)
                        .setSessionId(session)));
  }

  private ControlMessage answer(int number) {
    await().until(() -> answers().size() > number);
    return answers().get(number);
  }

  private List<ControlMessage> answers() {
    return snapt.received.stream().filter(ControlMessage::hasReceiptAnswer).toList();
  }

  @Test
  void anAgentSaysThatItSignsAndSignsWhatAgrees() throws Exception {
    serve((_, _) -> {}, Feature.RECEIPTS);
    assertThat(snapt.received.peek().getHello().getFeaturesList()).contains(Feature.RECEIPTS);
    begin().note(10_000, 90_000, 0, 0, 0);
    ask(0, 10_000, 90_000, "");
    SignedReceipt signed = SignedReceipt.parseFrom(answer(0).getReceiptAnswer().getSignedReceipt());
    assertThat(
            SignedMessage.RECEIPT.isSignedBy(
                agent.deviceKey.getPublic(), signed.getReceipt(), signed.getSignature()))
        .isTrue();
    assertThat(Receipt.parseFrom(signed.getReceipt()).getSessionId()).isEqualTo("s1");
  }

  @Test
  void packetsThatTheBoundaryOvertookAreWaitedFor() throws Exception {
    serve((_, _) -> {}, Feature.RECEIPTS);
    SessionCounts counts = begin();
    counts.note(0, 10_000, 0, 0, 0);
    ask(0, 0, 90_000, "");
    await().until(() -> agent.ledger().owed() == 1);
    counts.note(0, 90_000, 0, 0, 0);
    assertThat(answer(0).getReceiptAnswer().hasSignedReceipt()).isTrue();
    assertThat(agent.ledger().owed()).isZero();
  }

  @Test
  void aClaimOfTwiceTheBytesIsRefusedAfterTheSecondLook() throws Exception {
    serve((_, _) -> {}, Feature.RECEIPTS);
    begin().note(0, 90_000, 0, 0, 0);
    ask(0, 0, 180_000, "");
    ReceiptRefusal refusal = ReceiptRefusal.parseFrom(answer(0).getReceiptAnswer().getRefusal());
    assertThat(refusal.getReason()).isEqualTo(ReceiptRefusalReason.COUNTS_DIFFER);
    assertThat(refusal.getDownBytes()).isEqualTo(90_000);
    assertThat(agent.ledger().of(ReceiptLedger.Outcome.COUNTS_DIFFER)).isEqualTo(1);
  }

  @Test
  void anEarlierSessionIsNamedAndASessionThatIsNotKnownIsSaidToBe() throws Exception {
    serve((_, _) -> {}, Feature.RECEIPTS);
    agent.onLoop(() -> agent.ledger().begin(0, "snapt-1", "earlier", 0)).note(0, 500, 0, 0, 0);
    begin();
    ask(3, 0, 500, "earlier");
    ask(0, 0, 1, "never");
    SignedReceipt signed = SignedReceipt.parseFrom(answer(0).getReceiptAnswer().getSignedReceipt());
    assertThat(Receipt.parseFrom(signed.getReceipt()).getSessionId()).isEqualTo("earlier");
    ReceiptRefusal refusal = ReceiptRefusal.parseFrom(answer(1).getReceiptAnswer().getRefusal());
    assertThat(refusal.getReason()).isEqualTo(ReceiptRefusalReason.UNKNOWN_SESSION);
    assertThat(refusal.getSessionId()).isEqualTo("never");
  }

  @Test
  void aSnaptOfTheVersionBeforeGetsNoAnswer() throws Exception {
    serve((_, _) -> {});
    begin().note(0, 500, 0, 0, 0);
    ask(0, 0, 0, "");
    snapt
        .clients
        .peek()
        .send(ControlMessage.newBuilder().setKeepAlive(KeepAlive.newBuilder().setNumber(5)));
    await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasKeepAlive));
    assertThat(answers()).isEmpty();
  }

  @Test
  void aStopSignsTheLastIntervalBeforeTheConnectionEnds() throws Exception {
    serve(
        (client, message) -> {
          if (message.hasGoodbye()) {
            ask(7, 0, 400, "");
          } else if (message.hasReceiptAnswer()) {
            client.send(ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder()));
            client.close();
          }
        },
        Feature.RECEIPTS);
    begin().note(0, 400, 0, 0, 0);
    long beganNs = System.nanoTime();
    agent.client().close("stops");
    assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).isLessThan(Duration.ofSeconds(1));
    assertThat(answer(0).getReceiptAnswer().hasSignedReceipt()).isTrue();
    assertThat(agent.lost).as("our own end is no loss").isEmpty();
  }

  @Test
  void aStopDoesNotWaitLongForASnaptThatSaysNothing() throws Exception {
    serve((_, _) -> {}, Feature.RECEIPTS);
    long beganNs = System.nanoTime();
    agent.client().close("stops");
    assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).isLessThan(Duration.ofSeconds(2));
  }

  @Test
  void anAgentThatIsCutForReceiptsOpensANewSession() throws Exception {
    serve((_, _) -> {}, Feature.RECEIPTS);
    snapt
        .clients
        .peek()
        .send(
            ControlMessage.newBuilder()
                .setRefusal(
                    Refusal.newBuilder()
                        .setCode(RefusalCode.RECEIPTS_OWED)
                        .setDetail("2 intervals are not signed")));
    await().until(() -> agent.welcomed.size() == 2);
    assertThat(agent.details).anyMatch(detail -> detail.contains("2 intervals are not signed"));
    assertThat(
            snapt.received.stream()
                .filter(ControlMessage::hasHello)
                .map(message -> message.getHello().getResumeSessionId()))
        .containsExactly("", "");
  }
}
