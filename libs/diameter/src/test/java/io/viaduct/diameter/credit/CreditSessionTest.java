package io.viaduct.diameter.credit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.diameter.message.Answers;
import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.AvpGroup;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.Messages;
import io.viaduct.diameter.message.SessionParties;
import io.viaduct.diameter.message.Verdict;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class CreditSessionTest {
  private static final Instant NOW = Instant.parse("2026-11-27T10:00:00Z");
  private static final Answers OCS = new Answers(Messages.DICTIONARY, "ocs.test", "charging.test");
  private static final long QUOTA_EXHAUSTED = 3;
  private static final long VIDEO = 10;
  private static final long CALLS = 20;

  private final CreditSession session =
      new CreditSession(
          new SessionParties(
              Messages.DICTIONARY,
              "snapt.ims.test",
              "ims.test",
              "charging.test",
              "16.32260@3gpp.org"),
          "snapt.ims.test;1;2",
          new Subscriber(Subscriber.Type.END_USER_SIP_URI, "sip:alice@ims.test"));

  private static DiameterMessage overTheWire(DiameterMessage message) {
    return ((Verdict.Accepted) Messages.READER.read(message.encode())).message();
  }

  @Test
  void aSessionAsksIsGrantedReportsAndEnds() {
    ServiceRequest video = ServiceRequest.wanted(VIDEO, ServiceUnits.ofOctets(1_000_000));
    ServiceRequest calls = ServiceRequest.wanted(CALLS, ServiceUnits.ofSeconds(30));
    DiameterMessage initial = overTheWire(session.initial(List.of(video, calls), NOW));
    assertRequest(initial, 1, 0);
    assertThat(CreditAnswer.services(initial)).containsExactly(video, calls);

    CreditAnswer granted =
        new CreditAnswer(
            2001,
            List.of(
                ServiceGrant.of(
                    video,
                    ServiceUnits.ofOctets(500_000),
                    Optional.of(Duration.ofMinutes(10)),
                    Optional.empty()),
                ServiceGrant.of(
                    calls,
                    ServiceUnits.ofSeconds(14),
                    Optional.empty(),
                    Optional.of(FinalUnit.TERMINATE))),
            Optional.of(CreditAnswer.FailureHandling.CONTINUE));
    DiameterMessage answer = overTheWire(granted.to(initial, OCS));
    assertThat(answer.avps().number("CC-Request-Number")).hasValue(0);
    assertThat(CreditAnswer.of(answer)).isEqualTo(granted);
    assertThat(granted.grants()).allMatch(ServiceGrant::isGranted);

    ServiceRequest more = video.withUsed(ServiceUnits.ofOctets(100_000, 350_000), QUOTA_EXHAUSTED);
    DiameterMessage update = overTheWire(session.update(List.of(more), NOW));
    assertRequest(update, 2, 1);
    assertThat(CreditAnswer.services(update)).containsExactly(more);

    ServiceRequest last = ServiceRequest.ended(CALLS, ServiceUnits.ofSeconds(14));
    DiameterMessage end = session.terminate(List.of(last), "DIAMETER_LOGOUT", NOW);
    assertRequest(end, 3, 2);
    assertThat(end.avps().number("Termination-Cause")).hasValue(1);
  }

  private static void assertRequest(DiameterMessage request, long type, long number) {
    assertThat(request.header().application()).isEqualTo(4);
    assertThat(request.avps().number("CC-Request-Type")).hasValue(type);
    assertThat(request.avps().number("CC-Request-Number")).hasValue(number);
    assertThat(request.avps().group("Subscription-Id").orElseThrow().number("Subscription-Id-Type"))
        .hasValue(2);
    assertThat(overTheWire(request)).isEqualTo(request);
  }

  @Test
  void aRefusedServiceSaysWhy() {
    ServiceRequest video = ServiceRequest.wanted(VIDEO, ServiceUnits.UNSPECIFIED);
    DiameterMessage request = session.initial(List.of(video), NOW);
    CreditAnswer refused =
        new CreditAnswer(2001, List.of(ServiceGrant.refused(video, 4012)), Optional.empty());
    CreditAnswer read = CreditAnswer.of(overTheWire(refused.to(request, OCS)));
    assertThat(read.isSuccess()).isTrue();
    assertThat(read.grants().getFirst().resultCode()).isEqualTo(4012);
    assertThat(read.grants().getFirst().isGranted()).isFalse();
    assertThat(read.grants().getFirst().ratingGroup()).isEqualTo(OptionalLong.of(VIDEO));
  }

  @Test
  void theLastUnitsMayLeadToAPage() {
    ServiceRequest video = ServiceRequest.wanted(VIDEO, ServiceUnits.UNSPECIFIED);
    DiameterMessage request = session.initial(List.of(video), NOW);
    FinalUnit page =
        new FinalUnit(FinalUnit.Action.REDIRECT, Optional.of("https://pages.test/top-up"));
    ServiceGrant grant =
        ServiceGrant.of(video, ServiceUnits.ofSpecific(3), Optional.empty(), Optional.of(page));
    CreditAnswer answer = new CreditAnswer(2001, List.of(grant), Optional.empty());
    assertThat(CreditAnswer.of(overTheWire(answer.to(request, OCS))).grants())
        .containsExactly(grant);
  }

  @Test
  void aBalanceIsCheckedByAnEvent() {
    DiameterMessage event = session.event(List.of(), "CHECK_BALANCE", NOW);
    assertRequest(event, 4, 0);
    assertThat(event.avps().number("Requested-Action")).hasValue(2);
    assertThatThrownBy(() -> session.update(List.of(), NOW)).hasMessageContaining("has ended");
  }

  @Test
  void aSessionBeginsOnce() {
    assertThatThrownBy(() -> session.update(List.of(), NOW)).hasMessageContaining("not begun");
    session.initial(List.of(), NOW);
    assertThatThrownBy(() -> session.initial(List.of(), NOW)).hasMessageContaining("has begun");
  }

  @Test
  void moneyHasDigitsAnExponentAndACurrency() {
    Money money = new Money(new BigDecimal("12.345678"), OptionalLong.of(978));
    DiameterMessage initial =
        overTheWire(
            session.initial(
                List.of(ServiceRequest.wanted(VIDEO, ServiceUnits.ofMoney(money))), NOW));
    AvpGroup units =
        initial
            .avps()
            .group("Multiple-Services-Credit-Control")
            .flatMap(service -> service.group("Requested-Service-Unit"))
            .flatMap(wanted -> wanted.group("CC-Money"))
            .orElseThrow();
    assertThat(units.group("Unit-Value").orElseThrow().number("Value-Digits")).hasValue(12_345_678);
    assertThat(units.group("Unit-Value").orElseThrow().number("Exponent")).hasValue(-6);
    assertThat(CreditAnswer.services(initial).getFirst().requested())
        .hasValue(ServiceUnits.ofMoney(money));
  }

  @Test
  void anAmountBeyondReasonIsNone() {
    AvpBuilder units = new AvpBuilder(Messages.DICTIONARY);
    new Money(new BigDecimal("1E+31"), OptionalLong.empty()).writeTo(units);
    assertThat(Money.of(units.build().group("CC-Money").orElseThrow()).amount())
        .isEqualTo(BigDecimal.ZERO);
  }
}
