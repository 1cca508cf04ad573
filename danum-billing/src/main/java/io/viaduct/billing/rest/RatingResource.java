package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.rating.FlowMeasure;
import io.viaduct.billing.rating.RatedFlow;
import io.viaduct.billing.rating.RatedReport;
import io.viaduct.billing.rating.WhatIf;
import io.viaduct.billing.settlement.ChargedReport;
import io.viaduct.billing.settlement.ChargedReports;
import io.viaduct.billing.settlement.SnaptExperience;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Surcharge;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.SurchargeVersion;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.tariff.TariffVersion;
import io.viaduct.billing.tariff.Terms;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/// Explains charges, and says what they would have been. Both rate the stored measurements by the
/// code that rates reports, so their numbers are those of a bill.
@RestController
@RequestMapping("/api/v1")
@Tag(name = "charges")
class RatingResource {
  private static final JsonMapper JSON = JsonMapper.shared();

  private final ChargedReports reports;
  private final TariffBook tariffs;
  private final SurchargeBook surcharges;
  private final JdbcClient jdbc;

  RatingResource(
      ChargedReports reports, TariffBook tariffs, SurchargeBook surcharges, JdbcClient jdbc) {
    this.reports = reports;
    this.tariffs = tariffs;
    this.surcharges = surcharges;
    this.jdbc = jdbc;
  }

  record ExplainedCharge(
      int tariffVersion, @Nullable Integer surchargeVersion, Explanation explanation) {}

  /// The changes to a charge. A key that is left out stays as it was.
  record NewSimulation(
      String charge,
      @Nullable Boolean withoutAggregation,
      @Nullable String throughSnapt,
      @Nullable Double delayMs,
      @Nullable Double loss,
      @Nullable Double throughputKbitPerSecond,
      @Nullable Map<String, Object> tariff) {
    private static final double DELAY_MAX_MS = 600_000;
    private static final double THROUGHPUT_MAX = 1e10;

    NewSimulation {
      JsonBody.require("charge", charge);
      between("delayMs", delayMs, 0, DELAY_MAX_MS);
      between("loss", loss, 0, 1);
      between(
          "throughputKbitPerSecond", throughputKbitPerSecond, Double.MIN_NORMAL, THROUGHPUT_MAX);
    }

    private static void between(String key, @Nullable Double value, double least, double most) {
      if (value != null && !(value >= least && value <= most)) {
        throw new IllegalArgumentException(
            "%s must be between %s and %s, got %s".formatted(key, least, most, value));
      }
    }

    /// Returns the changed measurements; what is given here has precedence over the SNAPT's.
    WhatIf whatIf(@Nullable SnaptExperience through) {
      return new WhatIf(
          Boolean.TRUE.equals(withoutAggregation),
          delayMs != null || through == null ? delayMs : (Double) through.delayMs(),
          loss != null || through == null ? loss : (Double) through.loss(),
          throughputKbitPerSecond);
    }
  }

  record Simulation(List<Explanation> flows, BillView bill, BillView posted) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/charges/{id}/explain")
  @Operation(
      summary = "How one charge comes about: inputs, curve, and each step with its number",
      description =
          "The bill that counts, or with `revision` an earlier one: 0 is the bill that was posted with"
              + " the report, each re-rating adds one.",
      operationId = "explainCharge")
  ExplainedCharge explain(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(required = false) @Nullable Integer revision) {
    ChargedReport report = revision == null ? visible(caller, id) : visible(caller, id, revision);
    Terms terms = terms(report);
    List<FlowMeasure> measures = report.measures();
    int index = report.flows().indexOf(report.flow(Long.parseLong(id)));
    return new ExplainedCharge(
        report.tariffVersion(),
        report.surchargeVersion(),
        Explanation.of(
            report,
            index,
            measures,
            RatedReport.of(measures, report.intervalMs(), terms).flows(),
            terms));
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.TARIFF_REFUSED})
  @PostMapping("/rating/simulate")
  @Operation(
      summary =
          "What the report of a charge would cost with other measurements of that charge's"
              + " application, or under a draft tariff. Nothing is stored",
      operationId = "simulateRating")
  Simulation simulate(@AuthenticationPrincipal Caller caller, @RequestBody NewSimulation wanted) {
    ChargedReport report = visible(caller, wanted.charge());
    FlowMeasure chosen = report.flow(Long.parseLong(wanted.charge())).measure();
    SnaptExperience through = through(report, chosen.serviceClass(), wanted.throughSnapt());
    IntFunction<Terms> terms = terms(report, wanted.tariff(), through);
    requireCarried(wanted, report, chosen, terms.apply(report.tariffVersion()).tariff());
    List<FlowMeasure> measures =
        wanted.whatIf(through).applyTo(report.measures(), chosen, report.intervalMs());
    // Each flow has the bill of its own tariff, as a re-rating of one class leaves it.
    Map<Integer, List<RatedFlow>> rated = new HashMap<>();
    for (ChargedReport.Flow flow : report.flows()) {
      rated.computeIfAbsent(
          flow.tariffVersion(),
          version -> RatedReport.of(measures, report.intervalMs(), terms.apply(version)).flows());
    }
    List<Explanation> flows = new ArrayList<>();
    BillLines bill = BillLines.NOTHING;
    for (int i = 0; i < measures.size(); i++) {
      int version = report.flows().get(i).tariffVersion();
      List<RatedFlow> ofVersion = Objects.requireNonNull(rated.get(version));
      flows.add(Explanation.of(report, i, measures, ofVersion, terms.apply(version)));
      bill = bill.plus(ofVersion.get(i).lines());
    }
    return new Simulation(flows, BillView.of(bill), BillView.of(report.posted()));
  }

  // A path that offers less than the flows carried would have needed a longer interval.
  private static void requireCarried(
      NewSimulation wanted, ChargedReport report, FlowMeasure chosen, Tariff tariff) {
    Double offered = wanted.throughputKbitPerSecond();
    if (offered != null && tariff.of(chosen.serviceClass()).point() == OperatingPoint.OFFERED) {
      double carried = WhatIf.carriedKbitPerSecond(report.measures(), chosen, report.intervalMs());
      if (offered < carried) {
        throw ProblemException.invalid(
            "throughputKbitPerSecond must be at least %s, which the flows of this application carried, got %s"
                .formatted(carried, offered));
      }
    }
  }

  private ChargedReport visible(Caller caller, String charge) {
    return visible(caller, reports.find(OperatorDecision.id(charge)));
  }

  private ChargedReport visible(Caller caller, String charge, int revision) {
    return visible(caller, reports.find(OperatorDecision.id(charge), revision));
  }

  private static ChargedReport visible(Caller caller, Optional<ChargedReport> found) {
    ChargedReport report = found.orElseThrow(ProblemException::notFound);
    CallerAccess.requireOwn(caller, report.account());
    return report;
  }

  private Terms terms(ChargedReport report) {
    return new Terms(
        tariffs.versions().get(report.tariffVersion() - 1).tariff(), surcharge(report));
  }

  private @Nullable SnaptExperience through(
      ChargedReport report, ServiceClass serviceClass, @Nullable String snapt) {
    if (snapt == null) {
      return null;
    }
    return SnaptExperience.of(
            jdbc, report.account(), Page.filter("throughSnapt", snapt), serviceClass)
        .orElseThrow(() ->
            ProblemException.invalid(
                "throughSnapt must be a SNAPT through which the account has charges of class %s with a measured delay, got '%s'"
                    .formatted(serviceClass, snapt)));
  }

  /// Returns the terms by the version of a bill's tariff; a draft stands for all of them.
  private IntFunction<Terms> terms(
      ChargedReport report,
      @Nullable Map<String, Object> draft,
      @Nullable SnaptExperience through) {
    Surcharge surcharge =
        through == null ? surcharge(report) : surchargeOf(through.owner(), report.start());
    if (draft != null) {
      Terms drafted = new Terms(TariffDocument.parse(JSON.writeValueAsString(draft)), surcharge);
      return _ -> drafted;
    }
    List<TariffVersion> versions = tariffs.versions();
    return version -> new Terms(versions.get(version - 1).tariff(), surcharge);
  }

  private Surcharge surchargeOf(String owner, Instant start) {
    SurchargeVersion version = SurchargeBook.inForce(surcharges.of(owner), start);
    return version == null ? Surcharge.NONE : version.surcharge();
  }

  private Surcharge surcharge(ChargedReport report) {
    Integer version = report.surchargeVersion();
    return version == null
        ? Surcharge.NONE
        : surcharges.of(report.owner()).get(version - 1).surcharge();
  }
}
