package io.viaduct.snapt.credit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.snapt.binding.ShownToken;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.UsedUnits;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A download has ended, and the request that tells its last bytes, and releases its grant, is
/// lost. Nothing else is carried.
class CreditDialogTest {
  private static final ShownToken TOKEN =
      new ShownToken(
          SessionToken.newBuilder().setAccount("alice").build(),
          SignedSessionToken.newBuilder().setToken(ByteString.copyFromUtf8("t")).build());

  private static final long USED = 40_000;
  private final Quotas quotas = new Quotas();
  private final CreditLine line =
      new CreditLine(WithoutBilling.CONTINUE, new FreeDestinations(List.of()));

  private final TestBilling billing = new TestBilling(line);
  private final CreditDialog dialog = new CreditDialog("s", line, quotas, true, 0);
  private long nowNs;
  private CreditRequest lost;

  @BeforeEach
  void askForTheLastTime() throws InterruptedException {
    billing.connect();
    quotas.of("web", ServiceClass.HT_HD).close(USED, 1_000);
    dialog.ask(CreditRequestType.UPDATE, TOKEN, 1_000, nowNs);
    lost = billing.next();
    assertThat(lost.getUsedList()).extracting(UsedUnits::getTotalBytes).containsExactly(USED);
  }

  private boolean isNeeded() {
    return quotas.all().stream().anyMatch(quota -> quota.isNeeded(nowNs));
  }

  private void isToldAgain() throws InterruptedException {
    assertThat(dialog.mayAsk(nowNs)).isTrue();
    assertThat(isNeeded()).isTrue();
    dialog.ask(CreditRequestType.UPDATE, TOKEN, 1_000, nowNs);
    CreditRequest again = billing.next();
    assertThat(again.getNumber()).isGreaterThan(lost.getNumber());
    assertThat(again.getUsedList()).isEqualTo(lost.getUsedList());
    assertThat(dialog.takes(answer(again, CreditResult.SUCCESS), nowNs)).isTrue();
    isTold();
  }

  private void isTold() {
    assertThat(isNeeded()).isFalse();
    assertThat(quotas.all()).noneMatch(Quota::isUntold);
  }

  private static CreditAnswer answer(CreditRequest request, CreditResult result) {
    return CreditAnswer.newBuilder()
        .setSessionId(request.getSessionId())
        .setNumber(request.getNumber())
        .setResult(result)
        .build();
  }

  @Test
  void useThatBillingHasTakenIsNotToldAgain() {
    assertThat(dialog.takes(answer(lost, CreditResult.SUCCESS), nowNs)).isTrue();
    isTold();
    dialog.line(false, nowNs);
    dialog.line(true, nowNs);
    isTold();
  }

  @Test
  void useOfARequestWithoutAnAnswerIsToldAgain() throws Exception {
    nowNs += TimeUnit.SECONDS.toNanos(10);
    assertThat(dialog.mayAsk(nowNs)).as("a second after it is given up").isFalse();
    nowNs += TimeUnit.SECONDS.toNanos(1);
    isToldAgain();
  }

  @Test
  void useThatBillingCouldNotTakeIsToldAgain() throws Exception {
    assertThat(dialog.takes(answer(lost, CreditResult.UNABLE_TO_DELIVER), nowNs)).isFalse();
    nowNs += TimeUnit.SECONDS.toNanos(1);
    isToldAgain();
  }

  @Test
  void useOnALostStreamIsToldAgainOnTheNextOne() throws Exception {
    billing.disconnect();
    dialog.line(false, nowNs);
    billing.connect();
    dialog.line(true, nowNs);
    isToldAgain();
  }

  @Test
  void aRequestThatIsNeverValidIsNotRepeatedForUseAlone() {
    assertThat(dialog.takes(answer(lost, CreditResult.REQUEST_REFUSED), nowNs)).isFalse();
    isTold();
  }
}
