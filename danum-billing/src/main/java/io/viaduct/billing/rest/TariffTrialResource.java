package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.settlement.TariffTrial;
import io.viaduct.billing.settlement.TrialResult;
import io.viaduct.billing.tariff.Tariff;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/// Says what a time that is over would have cost under a draft. One trial runs at a time, because
/// it reads many rows.
@RestController
@RequestMapping("/api/v1/tariffs")
@Tag(name = "tariffs")
class TariffTrialResource {
  private final TariffTrial trial;
  private final InstantSource clock;
  private final Semaphore running = new Semaphore(1);

  TariffTrialResource(TariffTrial trial, InstantSource clock) {
    this.trial = trial;
    this.clock = clock;
  }

  record NewTrial(Map<String, Object> tariff, @Nullable Instant from, @Nullable Instant to) {
    NewTrial {
      JsonBody.require("tariff", tariff);
    }
  }

  record TrialSum(
      long charges,
      String preBytes,
      BillView before,
      BillView after,
      String capBeforeMicrodenarii,
      String capAfterMicrodenarii,
      String paidBeforeMicrodenarii,
      String paidAfterMicrodenarii) {
    static TrialSum of(TrialResult.Compared sum) {
      return new TrialSum(
          sum.charges(),
          Long.toString(sum.preBytes()),
          BillView.of(sum.before()),
          BillView.of(sum.after()),
          sum.capBefore().toString(),
          sum.capAfter().toString(),
          sum.paidBefore().toString(),
          sum.paidAfter().toString());
    }
  }

  record NamedTrialSum(String name, TrialSum sum) {}

  record TrialGroup(
      @Nullable String leastMicrodenarii,
      @Nullable String mostMicrodenarii,
      long accounts,
      long rises,
      long falls,
      String paidBeforeMicrodenarii,
      String paidAfterMicrodenarii) {
    static TrialGroup of(TrialResult.AccountGroup group) {
      return new TrialGroup(
          text(group.least()),
          text(group.most()),
          group.accounts(),
          group.rises(),
          group.falls(),
          group.before().toString(),
          group.after().toString());
    }

    private static @Nullable String text(@Nullable MicroDenarii amount) {
      return amount == null ? null : amount.toString();
    }
  }

  record TrialAccount(String account, String paidBeforeMicrodenarii, String paidAfterMicrodenarii) {
    static TrialAccount of(TrialResult.AccountComparison compared) {
      return new TrialAccount(
          compared.account(), compared.before().toString(), compared.after().toString());
    }
  }

  record Trial(
      Instant from,
      Instant to,
      Instant coveredTo,
      boolean complete,
      int chargesMax,
      long secondsMax,
      long reports,
      long accounts,
      TrialSum total,
      List<NamedTrialSum> classes,
      List<NamedTrialSum> applications,
      List<TrialGroup> groups,
      List<TrialAccount> changes) {}

  @Refuses({ProblemType.TARIFF_REFUSED, ProblemType.BUSY})
  @PostMapping("/simulate")
  @Operation(
      summary = "What a time that is over would have cost under a draft; nothing is stored",
      description =
          "Rates the posted reports of the time, yesterday (UTC) without one, by the code that rates"
              + " reports, and takes off the caps of hours and days. Void charges and what an operator"
              + " gave back are left out. A bound on charges and seconds ends it early.",
      operationId = "simulateTariff")
  Trial simulate(@RequestBody NewTrial wanted) {
    BillSelection.Span time = BillSelection.Span.of(wanted.from(), wanted.to(), clock.instant());
    return run(TariffsResource.parse(wanted.tariff()), TariffTrial.Scope.ALL, time);
  }

  /// Rates the bills of a time again, one trial at a time.
  Trial run(Tariff tariff, TariffTrial.Scope scope, BillSelection.Span time) {
    if (!running.tryAcquire()) {
      throw new ProblemException(
          ProblemType.BUSY,
          "another simulation is running: try again in some seconds",
          TariffTrial.BOUNDS.duration());
    }
    try {
      return view(trial.run(tariff, scope, time.from(), time.to()), time.to());
    } finally {
      running.release();
    }
  }

  static Trial view(TrialResult result, Instant to) {
    return new Trial(
        result.from(),
        to,
        result.coveredTo(),
        result.isComplete(),
        TariffTrial.BOUNDS.charges(),
        TariffTrial.BOUNDS.duration().toSeconds(),
        result.reports(),
        result.accounts(),
        TrialSum.of(result.total()),
        result.classes().entrySet().stream()
            .map(each -> new NamedTrialSum(each.getKey().name(), TrialSum.of(each.getValue())))
            .toList(),
        result.applications().stream()
            .map(each -> new NamedTrialSum(each.name(), TrialSum.of(each.sums())))
            .toList(),
        result.groups().stream().map(TrialGroup::of).toList(),
        result.changes().stream().map(TrialAccount::of).toList());
  }
}
