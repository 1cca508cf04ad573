package io.viaduct.billing.rest;

import io.viaduct.billing.rating.FlowMeasure;
import io.viaduct.billing.rating.PriceSteps;
import io.viaduct.billing.rating.RatedFlow;
import io.viaduct.billing.settlement.ChargedReport;
import io.viaduct.billing.tariff.AccessFee;
import io.viaduct.billing.tariff.Cap;
import io.viaduct.billing.tariff.Curve;
import io.viaduct.billing.tariff.DiscountRule;
import io.viaduct.billing.tariff.Promise;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.tariff.Terms;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/// The way to a charge, as the REST interface shows it: what was measured, the curve, each step of
/// the computation with its number, and the bill.
record Explanation(
    String charge,
    long flow,
    String application,
    String serviceClass,
    @Nullable String link,
    @Nullable String carriedByCall,
    String point,
    Inputs inputs,
    List<Together> together,
    Map<String, Object> curve,
    String discountBase,
    String discountBeneficiary,
    Rules rules,
    List<Step> steps,
    BillView bill,
    boolean equalsPosted) {
  private static final JsonMapper JSON = JsonMapper.shared();

  /// The measurements.
  record Inputs(
      String preBytes,
      String postBytes,
      long intervalMs,
      long durationMs,
      double delayMs,
      @Nullable Double delayErrorMs,
      String delaySource,
      @Nullable Double jitterMs,
      double loss,
      @Nullable Double busy,
      @Nullable Double spareKbitPerSecond,
      String demandEnd) {}

  /// Rules of the tariff and of the owner's surcharge beside the curve.
  ///
  /// @param discountPerMegabyte den/MB
  /// @param discountCap share of the charge, 0..1
  /// @param flowCap den per flow and interval; null without a cap
  /// @param feePerMegabyte den/MB
  /// @param feePerMinute den per minute of the session, which its flows share by their bytes
  /// @param surchargePerMegabyte den/MB
  /// @param refundDelay share of the charge that is given back for a broken promise; likewise below
  /// @param reportPreBytes bytes of all flows of the report, in the order of their ids; 0 for those
  ///   that a call carries
  /// @param flowIndex place of this flow among them
  record Rules(
      double discountPerMegabyte,
      double discountCap,
      @Nullable Double flowCap,
      double feePerMegabyte,
      double feePerMinute,
      double surchargePerMegabyte,
      double refundDelay,
      double refundThroughput,
      List<String> reportPreBytes,
      int flowIndex) {
    static Rules of(Terms terms, List<FlowMeasure> measures, int index) {
      Tariff tariff = terms.tariff();
      return new Rules(
          tariff.discount().denariiPerMegabyte(),
          tariff.discount().cap(),
          tariff.caps().get(Cap.FLOW_INTERVAL),
          tariff.fee(AccessFee.PER_MEGABYTE),
          tariff.fee(AccessFee.PER_MINUTE),
          terms.surcharge().of(measures.get(index).serviceClass()),
          tariff.refund(Promise.DELAY),
          tariff.refund(Promise.THROUGHPUT),
          measures.stream().map(m -> Long.toString(m.feeBytes())).toList(),
          index);
    }
  }

  /// A flow that is priced together with this one; itself too.
  record Together(
      long flow, String preBytes, @Nullable Double busy, @Nullable Double spareKbitPerSecond) {}

  record Step(int number, String name, String formula, double value, String unit) {}

  /// Explains one flow of a report.
  ///
  /// @param measures what all its flows are rated by
  /// @param rated all its flows, rated
  @SuppressWarnings("unchecked")
  static Explanation of(
      ChargedReport report,
      int index,
      List<FlowMeasure> measures,
      List<RatedFlow> rated,
      Terms terms) {
    ChargedReport.Flow flow = report.flows().get(index);
    FlowMeasure measure = measures.get(index);
    RatedFlow price = rated.get(index);
    Curve curve = terms.tariff().curve(measure.serviceClass(), measure.application());
    DiscountRule discount = terms.tariff().discount();
    return new Explanation(
        Long.toString(flow.charge()),
        flow.id(),
        measure.application(),
        measure.serviceClass().name(),
        flow.link(),
        measure.call() == null ? null : measure.call().toString(),
        curve.tariff().point().name(),
        inputs(flow, measure, price, report.intervalMs()),
        together(report, measure, measures),
        JSON.convertValue(TariffDocument.tree(curve), Map.class),
        discount.base().name(),
        discount.beneficiary().name(),
        Rules.of(terms, measures, index),
        steps(PriceSteps.of(measure, price, terms)),
        BillView.of(price.lines()),
        price.lines().equals(flow.posted()));
  }

  private static Inputs inputs(
      ChargedReport.Flow flow, FlowMeasure measure, RatedFlow rated, long intervalMs) {
    return new Inputs(
        Long.toString(measure.preBytes()),
        Long.toString(measure.postBytes()),
        intervalMs,
        measure.durationMs(),
        rated.delay().delayMs(),
        rated.delay().errorMs(),
        rated.delay().source().name(),
        flow.jitterMs(),
        measure.loss(),
        measure.demand().busy(),
        measure.demand().spareKbitPerSecond(),
        measure.demand().end().name());
  }

  private static List<Together> together(
      ChargedReport report, FlowMeasure measure, List<FlowMeasure> measures) {
    return IntStream.range(0, measures.size())
        .filter(i -> measures.get(i).isPricedWith(measure))
        .mapToObj(i ->
            new Together(
                report.flows().get(i).id(),
                Long.toString(measures.get(i).preBytes()),
                measures.get(i).demand().busy(),
                measures.get(i).demand().spareKbitPerSecond()))
        .toList();
  }

  private static List<Step> steps(List<PriceSteps.Step> steps) {
    return IntStream.range(0, steps.size())
        .mapToObj(i ->
            new Step(
                i + 1,
                steps.get(i).name(),
                steps.get(i).formula(),
                steps.get(i).value(),
                steps.get(i).unit()))
        .toList();
  }
}
