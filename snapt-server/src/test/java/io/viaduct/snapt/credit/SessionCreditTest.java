package io.viaduct.snapt.credit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.snapt.ConnectedDevice;
import io.viaduct.snapt.PacketText;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.snapt.policy.EgressRefusal;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.FailureAction;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.UsageReport;
import io.viaduct.usage.v1.UsedUnits;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests credit control in the data path of a SNAPT on real sockets. The test decides what billing
/// answers.
class SessionCreditTest {
  private static final short PROHIBITED = 0x030d;
  private static final int PACKET = up(7000).length;

  @TempDir Path folder;
  private TestSnapt snapt;
  private TestBilling billing;
  private ConnectedDevice device;

  @BeforeEach
  void start() throws Exception {
    TestOperator operator = new TestOperator(folder.resolve("pki"));
    snapt = new TestSnapt(operator, folder, 1, Duration.ofSeconds(30));
    billing = new TestBilling(snapt.credit);
    billing.connect();
    device = new ConnectedDevice(snapt, operator, "alice");
  }

  @AfterEach
  void stop() {
    device.close();
    snapt.close();
  }

  private static byte[] up(int port) {
    return PacketText.udp("10.64.0.2", 5000, "203.0.113.7", port, 'x');
  }

  private void carries(int port) throws InterruptedException {
    device.tunnel.send(up(port));
    assertThat(snapt.nextOut()).as("packet to port " + port).isNotNull();
  }

  private void isRefused(int port) throws InterruptedException {
    device.tunnel.send(up(port));
    byte[] answer = device.tunnel.arrived.poll(5, TimeUnit.SECONDS);
    assertThat(answer).as("an ICMP error for port " + port).isNotNull();
    assertThat(ByteBuffer.wrap(answer).getShort(20)).isEqualTo(PROHIBITED);
  }

  private void exhaust() throws InterruptedException {
    carries(7000);
    billing.grant(billing.next(), 0, true);
    await().until(() -> snapt.onlySession().credit().equals("exhausted"));
  }

  @Test
  void aFirstPacketIsCarriedWhileItsQuotaIsAskedFor() throws Exception {
    carries(7000);
    CreditRequest request = billing.next();
    assertThat(request.getType()).isEqualTo(CreditRequestType.INITIAL);
    assertThat(request.getNumber()).isEqualTo(1);
    assertThat(request.getAccount()).isEqualTo("alice");
    assertThat(request.getToken().getToken()).isNotEmpty();
    UsedUnits used = request.getUsed(0);
    assertThat(used.getServiceClass()).isEqualTo(ServiceClass.LT_LD);
    assertThat(used.getTotalBytes()).isEqualTo(PACKET);
    assertThat(used.getFlows()).isEqualTo(1);
    billing.grant(request, 1_000_000, false);
    carries(7000);
    assertThat(snapt.count(loop -> loop.of(EgressRefusal.CREDIT))).isZero();
  }

  @Test
  void anApplicationThatIsSilentTakesNoCreditFromTheOthers() throws Exception {
    carries(7000);
    billing.grant(billing.next(), 1_000_000, false);
    device.tunnel.serviceClass = io.viaduct.tunnel.wire.ServiceClass.HT_HD;
    carries(7001);
    assertThat(billing.next().getUsedList())
        .extracting(UsedUnits::getServiceClass)
        .containsExactly(ServiceClass.HT_HD);
  }

  @Test
  void withoutCreditFlowsOfBothDirectionsAreRefusedAndTheDeviceLearnsWhy() throws Exception {
    exhaust();
    isRefused(7000);
    isRefused(7001);
    assertThat(snapt.count(loop -> loop.of(EgressRefusal.CREDIT))).isEqualTo(2);
    String pool = TestSnapt.POOL.ipv4().address(snapt.onlySession().slot());
    snapt.inject(0, PacketText.udp("203.0.113.7", 7000, pool, 5000, 'y'));
    await().until(() -> snapt.count(Verdict.FLOW_HELD) == 1);
    assertThat(snapt.out).isEmpty();
  }

  @Test
  void aTopUpLetsTheSameFlowGoOn() throws Exception {
    exhaust();
    isRefused(7000);
    carriesAgainAfterPush();
  }

  private void carriesAgainAfterPush() throws Exception {
    CreditRequest again = billing.next(); // five seconds later: the flow still wants to be carried
    billing.push(again, CreditResult.SUCCESS, ServiceClass.LT_LD, 1_000_000);
    await().until(() -> snapt.onlySession().credit().equals("sufficient"));
    carries(7000);
  }

  @Test
  void aSpentQuotaEndsTheIntervalSoThatItIsCharged() throws Exception {
    carries(7000);
    billing.grant(billing.next(), 100, true);
    await()
        .until(() -> {
          if (snapt.reports.isEmpty()) {
            device.tunnel.send(up(7000));
          }
          return !snapt.reports.isEmpty();
        });
    UsageReport report = snapt.reports.getFirst();
    assertThat(report.getPreBytes()).isGreaterThanOrEqualTo(PACKET + 100);
    assertThat(report.getLast()).isFalse();
  }

  @Test
  void creditThatIsAskedBackIsGivenBackAndItsUseIsReportedAtOnce() throws Exception {
    carries(7000);
    CreditRequest first = billing.next();
    billing.grant(first, 1_000_000, false);
    carries(7000);
    billing.reauthorise(first, ServiceClass.LT_LD, 1_000_000);
    CreditRequest told = billing.next();
    assertThat(told.getUsed(0).getTotalBytes()).isEqualTo(2 * PACKET);
    assertThat(told.getUsed(0).getFlows()).as("it carries").isEqualTo(1);
    billing.grant(told, 1_000_000, false);
    billing.reauthorise(told, ServiceClass.LT_LD, 1_000_000);
    CreditRequest idle = billing.next();
    assertThat(idle.getUsed(0).getFlows()).as("nothing was carried since").isZero();
    billing.grant(idle, 0, false);
    await().until(() -> !snapt.reports.isEmpty());
    assertThat(snapt.reports.getFirst().getPreBytes()).isEqualTo(2 * PACKET);
    carries(7000);
    assertThat(billing.next().getUsed(0).getFlows()).as("it wants a quota again").isEqualTo(1);
  }

  @Test
  void timeWithoutCreditBelongsToNoInterval() throws Exception {
    exhaust();
    await().until(() -> !snapt.reports.isEmpty());
    device.tunnel.send(up(7000));
    CreditRequest again = billing.next(); // five seconds later
    long reportedMs =
        snapt.reports.stream().mapToLong(each -> each.getEndMs() - each.getStartMs()).sum();
    assertThat(again.getTotalMs()).isEqualTo(reportedMs);
  }

  @Test
  void aBlockedAccountIsRefusedEverythingAtOnce() throws Exception {
    carries(7000);
    CreditRequest request = billing.next();
    billing.grant(request, 1_000_000, false);
    billing.push(request, CreditResult.ACCOUNT_BLOCKED, ServiceClass.LT_LD, 0);
    await().until(() -> snapt.onlySession().credit().equals("blocked"));
    isRefused(7000);
    isRefused(7001);
  }

  @Test
  void whileBillingIsAwayTheTariffDecidesForEachClass() throws Exception {
    carries(7000);
    CreditRequest request = billing.next();
    billing.answer(request, CreditResult.UNABLE_TO_DELIVER, FailureAction.TERMINATE);
    await().until(() -> snapt.onlySession().credit().equals("unknown"));
    isRefused(7000);
    CreditRequest again = billing.next();
    assertThat(again.getNumber()).isEqualTo(2);
    billing.answer(again, CreditResult.UNABLE_TO_DELIVER, FailureAction.CONTINUE);
    await().until(() -> snapt.onlySession().credit().equals("sufficient"));
    carries(7000);
  }

  @Test
  void aRequestThatBillingRefusesHoldsItsTrafficWhateverTheTariffSaysAboutAnAbsence()
      throws Exception {
    carries(7000);
    CreditRequest request = billing.next();
    billing.answer(request, CreditResult.REQUEST_REFUSED, FailureAction.CONTINUE);
    await().until(() -> snapt.onlySession().credit().equals("unknown"));
    isRefused(7000);
    CreditRequest again = billing.next();
    assertThat(again.getNumber()).isEqualTo(2);
    billing.grant(again, 100, false);
    await().until(() -> snapt.onlySession().credit().equals("sufficient"));
    carries(7000);
  }

  @Test
  void whatTheOperatorNamesIsReachedWithoutCredit() throws Exception {
    carries(7000);
    billing.grant(billing.next(), 0, true);
    await().until(() -> snapt.onlySession().credit().equals("exhausted"));
    isRefused(7000);
    carries(9053);
  }

  @Test
  void anIpv4NetworkThatIsReachableWithoutCreditIsReached() throws Exception {
    exhaust();
    device.tunnel.send(PacketText.udp("10.64.0.2", 5000, "198.51.100.53", 7000, 'x'));
    assertThat(snapt.nextOut()).isNotNull();
    isRefused(7000);
  }

  @Test
  void aStreamThatFailsAgainAndAgainStopsNothingThatMayGoOn() throws Exception {
    long endNs = System.nanoTime() + 1_500_000_000; // an answer is awaited for a second
    while (System.nanoTime() < endNs) {
      carries(7000);
      billing.disconnect();
      carries(7000);
      billing.connect(); // as with a bridge that does not know credit control
      carries(7000);
    }
    assertThat(snapt.count(loop -> loop.of(EgressRefusal.CREDIT))).isZero();
  }

  @Test
  void aLostStreamEndsInARequestWithTheTokenOnTheNextOne() throws Exception {
    carries(7000);
    billing.grant(billing.next(), 10, false);
    billing.disconnect();
    carries(7000);
    carries(7000);
    billing.connect();
    CreditRequest request = billing.next(each -> each.getUsed(0).getTotalBytes() == 3 * PACKET);
    assertThat(request.getType()).isEqualTo(CreditRequestType.UPDATE);
    assertThat(request.getToken().getToken()).isNotEmpty();
  }

  @Test
  void theLastRequestNamesTheTotalsOfAllReports() throws Exception {
    for (int i = 0; i < 5; i++) {
      carries(7000 + i);
    }
    device.control.send(
        ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder().setReason("done")).build());
    CreditRequest last = billing.next(each -> each.getType() == CreditRequestType.TERMINATION);
    await().until(() -> !snapt.reports.isEmpty());
    UsageReport report = snapt.reports.getLast();
    assertThat(last.getUsed(0).getTotalBytes())
        .isEqualTo(report.getPreBytes())
        .isEqualTo(5 * PACKET);
    assertThat(last.getUsed(0).getTotalFlowMs())
        .isEqualTo(report.getFlowsList().stream().mapToLong(FlowUsage::getDurationMs).sum());
    assertThat(last.getTotalMs()).isEqualTo(report.getEndMs() - report.getStartMs());
  }
}
