package io.viaduct.bridge.provisioning;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.MoreExecutors;
import io.viaduct.bridge.registrar.AccountFacts;
import io.viaduct.bridge.registrar.AccountFacts.TariffInForce;
import io.viaduct.usage.v1.AccountDescription;
import io.viaduct.usage.v1.DescribeAccountRequest;
import io.viaduct.usage.v1.DescribedReport;
import io.viaduct.usage.v1.ProvisioningGrpc.ProvisioningFutureStub;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Asks billing how accounts stand.
final class BillingAccounts implements AccountFacts.Source {
  /// Longest wait for billing: the user waits for words.
  private static final Duration DEADLINE = Duration.ofSeconds(3);

  /// Most questions that wait for billing.
  private static final int WAITING_MAX = 256;

  private final ProvisioningFutureStub billing;
  private final Semaphore waiting = new Semaphore(WAITING_MAX);

  BillingAccounts(ProvisioningFutureStub billing) {
    this.billing = billing;
  }

  @Override
  public CompletableFuture<AccountFacts> ask(String user, int reports) {
    CompletableFuture<AccountFacts> facts = new CompletableFuture<>();
    if (!waiting.tryAcquire()) {
      facts.completeExceptionally(
          new IllegalStateException(WAITING_MAX + " questions wait for billing"));
      return facts;
    }
    Futures.addCallback(
        billing
            .withDeadlineAfter(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
            .describeAccount(
                DescribeAccountRequest.newBuilder().setAccount(user).setReports(reports).build()),
        new FutureCallback<>() {
          @Override
          public void onSuccess(@Nullable AccountDescription answer) {
            waiting.release();
            if (answer != null && answer.getKnown()) {
              facts.complete(facts(answer));
            } else {
              facts.completeExceptionally(
                  new IllegalStateException("billing does not know the account"));
            }
          }

          @Override
          public void onFailure(Throwable failure) {
            waiting.release();
            facts.completeExceptionally(failure);
          }
        },
        MoreExecutors.directExecutor());
    return facts;
  }

  private static AccountFacts facts(AccountDescription answer) {
    return new AccountFacts(
        answer.getBalanceMicrodenarii(),
        answer.getAvailableMicrodenarii(),
        answer.getSpentTodayMicrodenarii(),
        SubscriberMessage.credit(answer.getCredit()),
        answer.getThresholdMicrodenarii(),
        tariff(answer.getTariff()),
        answer.hasNext() ? Optional.of(tariff(answer.getNext())) : Optional.empty(),
        answer.getReportsList().stream().map(BillingAccounts::reported).toList());
  }

  private static AccountFacts.Reported reported(DescribedReport report) {
    return new AccountFacts.Reported(
        Instant.ofEpochMilli(report.getStartMs()),
        Instant.ofEpochMilli(report.getEndMs()),
        report.getBytes(),
        report.getNetMicrodenarii());
  }

  private static TariffInForce tariff(io.viaduct.usage.v1.TariffInForce tariff) {
    return new TariffInForce(
        tariff.getVersion(), Instant.ofEpochMilli(tariff.getEffectiveFromMs()));
  }
}
