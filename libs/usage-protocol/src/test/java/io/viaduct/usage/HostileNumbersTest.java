package io.viaduct.usage;

import static org.assertj.core.api.Assertions.assertThatCode;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.SignedReceipt;
import io.viaduct.usage.v1.UsageReport;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The bridge's checks with every numeric field of report, token and receipt at numbers that no
/// counter shows: there is a verdict and never an exception.
class HostileNumbersTest {
  private static final List<Number> NUMBERS =
      List.of(-1L, Long.MIN_VALUE, Long.MAX_VALUE, (1L << 53) + 1, 1L << 62);
  private static final List<Double> FRACTIONS =
      List.of(Double.NaN, Double.POSITIVE_INFINITY, -Double.MAX_VALUE, -1.0);

  private final ProvenReport proven = new ProvenReport();

  private static UsageReport.Builder report() {
    DirectionUsage direction =
        DirectionUsage.newBuilder().setPreBytes(1).setPostBytes(1).setPackets(1).build();
    return UsageReport.newBuilder()
        .setSnaptId("snapt-1")
        .setSessionId("s")
        .setAccount("alice")
        .setStartMs(1_000)
        .setEndMs(2_000)
        .addFlows(FlowUsage.newBuilder().setUp(direction).setDown(direction).setDurationMs(1_000))
        .setPreBytes(2)
        .setPostBytes(2);
  }

  private void assertVerdict(UsageReport report, String of) {
    TokenKeys keys = TokenKeys.of(List.of(proven.tokenKey()));
    assertThatCode(
            () -> {
              var _ = ReportPlausibility.check(report, 1_000_000_000);
              var _ = ReportProof.of(proven.complete(report), report, keys, ProvenReport.AUDIENCE);
            })
        .as(of)
        .doesNotThrowAnyException();
  }

  private void each(UsageReport.Builder report, Message.Builder of) {
    for (FieldDescriptor field : of.getDescriptorForType().getFields()) {
      Object before = of.getField(field);
      List<? extends Number> values =
          switch (field.getJavaType()) {
            case LONG -> NUMBERS;
            case INT -> NUMBERS.stream().map(Number::intValue).toList();
            case DOUBLE -> FRACTIONS;
            default -> List.of();
          };
      for (Number value : values) {
        of.setField(field, value);
        assertVerdict(report.build(), field.getFullName() + " = " + value);
      }
      if (!values.isEmpty()) {
        of.setField(field, before);
      }
    }
  }

  @Test
  void everyNumberOfAReportHasAVerdict() {
    UsageReport.Builder report = report();
    each(report, report);
    each(report, report.getFlowsBuilder(0));
    each(report, report.getFlowsBuilder(0).getUpBuilder());
    each(report, report.getFlowsBuilder(0).getDownBuilder());
  }

  @Test
  void everyNumberOfATokenAndAReceiptHasAVerdict() {
    UsageReport report = report().build();
    TokenKeys keys = TokenKeys.of(List.of(proven.tokenKey()));
    for (Number value : NUMBERS) {
      long number = value.longValue();
      SignedReceipt receipt =
          proven.receipt(
              report,
              r ->
                  r.setUpBytes(number)
                      .setDownBytes(number)
                      .setEpoch(number)
                      .setStartMs(number)
                      .setEndMs(number));
      var token = proven.token(report, t -> t.setNotBeforeMs(number).setExpiresMs(-number));
      assertThatCode(
              () -> {
                var complete = proven.complete(report).toBuilder();
                var _ =
                    ReportProof.of(
                        complete.setReceipt(receipt).build(), report, keys, ProvenReport.AUDIENCE);
                var _ =
                    ReportProof.of(
                        complete.setToken(token).build(), report, keys, ProvenReport.AUDIENCE);
              })
          .as("%d", number)
          .doesNotThrowAnyException();
    }
  }
}
