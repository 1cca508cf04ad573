package io.viaduct.testbed.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.bridge.Registration;
import io.viaduct.webgui.bridge.Snapt;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// The pages read what the bridge tells: both ends name the same fields.
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

  private static Set<String> names(Class<?> record) {
    return Arrays.stream(record.getRecordComponents())
        .map(RecordComponent::getName)
        .collect(Collectors.toSet());
  }
}
