package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SubmitRequest;
import io.viaduct.usage.v1.UsageReport;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Sets every numeric field of a report, found in its descriptor, to impossible numbers. The report
/// must be refused with a reason, or the number must not increase a charge. Token and receipt are
/// valid, so that no other rule refuses the report.
class NumericFieldsTest {
  private static final long[] WHOLE = {
    -1, Long.MIN_VALUE, Long.MAX_VALUE, (1L << 53) + 1, 1L << 62, (1L << 50) + 1
  };
  private static final int[] SHORT = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE};
  private static final double[] FRACTION = {
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.MAX_VALUE,
    -Double.MAX_VALUE,
    Double.MIN_VALUE,
    -1,
    9_007_199_254_740_993.0
  };
  private static final List<String> PLACES = List.of("", "flows", "flows.up", "flows.down");

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String alice = "alice-" + tag;
  private final MediationRig rig = new MediationRig("owner-" + tag);

  /// One number in one field.
  private record Case(String name, Consumer<UsageReport.Builder> change) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (String place : PLACES) {
      for (FieldDescriptor field :
          at(UsageReport.newBuilder(), place).getDescriptorForType().getFields()) {
        if (!field.isRepeated()) {
          hostile(field)
              .forEach(value ->
                  cases.add(
                      new Case(
                          "%s %s = %s".formatted(place, field.getName(), value),
                          report -> at(report, place).setField(field, value))));
        }
      }
    }
    return cases.stream();
  }

  private static Message.Builder at(UsageReport.Builder report, String place) {
    if (place.isEmpty()) {
      return report;
    }
    var flow = report.getFlowsCount() == 0 ? report.addFlowsBuilder() : report.getFlowsBuilder(0);
    return switch (place) {
      case "flows.up" -> flow.getUpBuilder();
      case "flows.down" -> flow.getDownBuilder();
      default -> flow;
    };
  }

  private static List<Object> hostile(FieldDescriptor field) {
    List<Object> values = new ArrayList<>();
    switch (field.getJavaType()) {
      case LONG -> {
        for (long value : WHOLE) {
          values.add(value);
        }
      }
      case INT -> {
        for (int value : SHORT) {
          values.add(value);
        }
      }
      case DOUBLE -> {
        for (double value : FRACTION) {
          values.add(value);
        }
      }
      case ENUM -> {
        EnumValueDescriptor unknown = field.getEnumType().findValueByNumberCreatingIfUnknown(-1);
        values.add(unknown);
      }
      case FLOAT, BOOLEAN, STRING, BYTE_STRING, MESSAGE -> {}
    }
    return values;
  }

  @BeforeEach
  void open() {
    rig.openAccount(alice);
  }

  @AfterEach
  void everyInvariantHolds() {
    assertThat(rig.broken()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void anImpossibleNumberIsRefusedOrIncreasesNoCharge(Case hostile) {
    UsageReport.Builder report = report();
    hostile.change().accept(report);
    ReportAck ack =
        rig.mediation
            .submit(
                SubmitRequest.newBuilder()
                    .setReceivedMs(rig.clock.instant().toEpochMilli())
                    .addReports(Reports.signed(report.build()))
                    .addTokenKeys(Reports.PROVEN.tokenKey())
                    .build())
            .getAcks(0);
    if (ack.getVerdict() == ReportVerdict.POSTED) {
      assertThat(-rig.balance(alice)).isBetween(0L, MOST);
    } else {
      assertThat(ack.getVerdict()).isEqualTo(ReportVerdict.REJECTED);
      assertThat(ack.getReason()).matches("[A-Z_]+: .+");
      assertThat(rig.balance(alice)).isZero();
    }
  }

  // Largest charge for the bytes and time of the worked example, reached without delay, in
  // micro-denarii.
  private static final long MOST = 100_000_000;

  private UsageReport.Builder report() {
    return Reports.report(
        "snapt-" + tag,
        UUID.randomUUID().toString(),
        1,
        0,
        alice,
        rig.clock.instant(),
        Reports.workedExample());
  }
}
