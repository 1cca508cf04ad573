package io.viaduct.diameter.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.AvpGroup;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.Messages;
import io.viaduct.diameter.message.SessionIds;
import io.viaduct.diameter.message.SessionParties;
import io.viaduct.diameter.message.Verdict;
import io.viaduct.diameter.peer.Nodes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AccountingSessionTest {
  private static final Instant NOW = Instant.parse("2026-11-27T10:00:00Z");
  private static final SessionParties PARTIES =
      new SessionParties(
          Messages.DICTIONARY, "bridge.ims.test", "ims.test", "charging.test", "16.32260@3gpp.org");
  private static final ServiceInformation NOTHING =
      new ServiceInformation("icid-1", "session-1", List.of());
  private static final ServiceInformation CALL =
      new ServiceInformation(
          "icid-1",
          "session-1",
          List.of(
              new ServiceUsage(
                  1,
                  42,
                  NOW,
                  NOW.plusSeconds(60),
                  1000,
                  2000,
                  Map.of(
                      ServiceFact.DELAY_MS,
                      "9.5",
                      ServiceFact.THROUGHPUT_UP,
                      "133",
                      ServiceFact.WIRE_OCTETS_UP,
                      "400",
                      ServiceFact.SERVICE_CLASS,
                      "LT&LD"))));

  private final AccountingSession session =
      AccountingSession.begin(
          PARTIES, new SessionIds("bridge.ims.test", 9).take("s1"), "alice@ims.test");

  @Test
  void theRecordsOfASessionAreNumberedWithoutGaps() {
    DiameterMessage start = session.start(NOTHING, NOW);
    assertThat(start.avps().text("Session-Id")).hasValue("bridge.ims.test;9;0;s1");
    assertRecord(start, 2, 0);
    assertRecord(session.interim(CALL, NOW), 3, 1);
    assertRecord(session.interim(CALL, NOW), 3, 2);
    assertThat(session.nextNumber()).isEqualTo(3);
    AccountingSession later =
        AccountingSession.resume(PARTIES, session.sessionId(), "alice@ims.test", 3);
    assertRecord(later.stop(CALL, NOW), 4, 3);
    assertRecord(AccountingSession.event(PARTIES, "e", "alice@ims.test", NOTHING, NOW), 1, 0);
  }

  private static void assertRecord(DiameterMessage request, long type, long number) {
    assertThat(request.avps().number("Accounting-Record-Type")).hasValue(type);
    assertThat(request.avps().number("Accounting-Record-Number")).hasValue(number);
    assertThat(request.header().application()).isEqualTo(3);
    assertThat(Messages.READER.read(request.encode())).isEqualTo(new Verdict.Accepted(request));
  }

  @Test
  void usageHasItsVolumeTimesAndFacts() {
    session.start(NOTHING, NOW);
    AvpGroup information =
        session.interim(CALL, NOW).avps().group("Service-Information").orElseThrow();
    AvpGroup ims = information.group("IMS-Information").orElseThrow();
    assertThat(ims.text("IMS-Charging-Identifier")).hasValue("icid-1");
    assertThat(ims.number("Node-Functionality")).hasValue(6);
    AvpGroup container =
        information
            .group("PS-Information")
            .flatMap(ps -> ps.group("Service-Data-Container"))
            .orElseThrow();
    assertThat(container.number("Accounting-Input-Octets")).hasValue(1000);
    assertThat(container.number("Accounting-Output-Octets")).hasValue(2000);
    assertThat(container.number("Time-Usage")).hasValue(60);
    assertThat(container.groups("Service-Specific-Info"))
        .extracting(
            info -> info.number("Service-Specific-Type").orElseThrow(),
            info -> info.text("Service-Specific-Data").orElseThrow())
        .containsExactly(tuple(1L, "9.5"), tuple(2L, "133"), tuple(4L, "400"), tuple(6L, "LT&LD"));
  }

  @Test
  void aSessionStartsOnceAndEndsOnce() {
    assertThatThrownBy(() -> session.interim(CALL, NOW)).hasMessageContaining("has not started");
    session.start(NOTHING, NOW);
    assertThatThrownBy(() -> session.start(NOTHING, NOW)).hasMessageContaining("has started");
    session.stop(CALL, NOW);
    assertThatThrownBy(() -> session.stop(CALL, NOW)).hasMessageContaining("has ended");
    assertThatThrownBy(() -> AccountingSession.resume(PARTIES, "s", "u", 0))
        .hasMessageContaining("has a record");
  }

  @Test
  void anAnswerMaySayHowOftenInterimRecordsAreWanted() {
    DiameterMessage request = session.start(NOTHING, NOW);
    DiameterMessage answer = Nodes.answer(request, "cdf.test", 2001);
    assertThat(AccountingSession.interimInterval(answer)).isEmpty();
    AvpGroup more =
        new AvpBuilder(Messages.DICTIONARY)
            .addAll(answer.avps())
            .add("Acct-Interim-Interval", 300)
            .build();
    assertThat(AccountingSession.interimInterval(new DiameterMessage(answer.header(), more)))
        .hasValue(Duration.ofMinutes(5));
  }

  @Test
  void usageThatEndsBeforeItBeginsIsRefused() {
    assertThatThrownBy(() -> new ServiceUsage(1, 1, NOW, NOW.minusSeconds(1), 0, 0, Map.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
