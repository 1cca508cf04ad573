package io.viaduct.testbed.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.settlement.HoldReason;
import io.viaduct.billing.settlement.ReportRefusal;
import io.viaduct.webgui.billing.ReportCause;
import io.viaduct.webgui.bridge.Registration;
import io.viaduct.webgui.bridge.Snapt;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The pages read what bridge and billing tell: both ends name the same fields and words.
class PagesContractTest {
  @Test
  void everyFieldOfASnaptThatTheBridgeTellsIsReadByThePages() throws ClassNotFoundException {
    Class<?> told = Class.forName("io.viaduct.bridge.rest.SnaptView");
    assertThat(names(Snapt.class)).isEqualTo(names(told));
  }

  @Test
  void everyFieldOfARegistrationThatTheBridgeTellsIsReadByThePages() throws ClassNotFoundException {
    Class<?> told = Class.forName("io.viaduct.bridge.rest.RegistrationView");
    assertThat(names(Registration.class)).isEqualTo(names(told));
  }

  @Test
  void everyReasonForWhichBillingHoldsOrRefusesAReportHasATextOnThePages() throws Exception {
    Properties texts = new Properties();
    try (InputStream file = Snapt.class.getResourceAsStream("/messages.properties")) {
      texts.load(new InputStreamReader(file, StandardCharsets.UTF_8));
    }
    Set<String> reasons =
        Stream.concat(Arrays.stream(HoldReason.values()), Arrays.stream(ReportRefusal.values()))
            .map(Enum::name)
            .collect(Collectors.toSet());
    assertThat(reasons).isNotEmpty();
    for (String reason : reasons) {
      assertThat(ReportCause.known(reason)).as(reason).isEqualTo(reason);
      assertThat(texts.getProperty("reports.cause." + reason)).as(reason).isNotBlank();
    }
  }

  private static Set<String> names(Class<?> record) {
    return Arrays.stream(record.getRecordComponents())
        .map(RecordComponent::getName)
        .collect(Collectors.toSet());
  }
}
