package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

class OpenApiTest {
  private static final Path COMMITTED = Path.of("openapi.json");

  @Test
  void theCommittedDescriptionIsTheOneThatIsServed(@TempDir Path folder) throws Exception {
    JsonMapper json = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    String served;
    try (RunningBilling billing = RunningBilling.start(folder, new ManualClock())) {
      served = json.writeValueAsString(billing.get("/v3/api-docs", null).body()) + "\n";
    }
    assertThat(json.readTree(served).get("openapi").asString()).startsWith("3.1");
    if (Boolean.getBoolean("openapi.write")) {
      Files.writeString(COMMITTED, served);
    }
    assertThat(COMMITTED)
        .as(
            "openapi.json has drifted: ./mvnw -pl danum-billing test -Dtest=OpenApiTest"
                + " -Dopenapi.write=true, then look at the difference and commit it")
        .hasContent(served);
  }
}
