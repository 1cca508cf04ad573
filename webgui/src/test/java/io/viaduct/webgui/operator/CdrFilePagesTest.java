package io.viaduct.webgui.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CdrFilePagesTest {
  @BeforeEach
  void freshPeer() {
    RunningWebgui.freshPeer();
  }

  @Test
  void filesAreListedAndKeptUnderTheirNamesByOperatorsAndAuditors() {
    try (Visitor olga = Visitor.operator();
        Visitor aude = Visitor.signedIn("aude", "audits all");
        Visitor alice = Visitor.alice()) {
      for (Visitor reader : new Visitor[] {olga, aude}) {
        String page = reader.get("/cdr-files").body();
        assertThat(page).contains("billing-1_-_18.", "not written yet", "23.5\u00a0kB");
        HttpResponse<String> file = reader.get("/cdr-files/17/content");
        assertThat(file.body()).isEqualTo("the records");
        assertThat(file.headers().firstValue("Content-Disposition").orElse(""))
            .contains("attachment", "billing-1_-_17.20261120_-_1000+0000.csv");
      }
      assertThat(alice.get("/cdr-files").statusCode()).isEqualTo(403);
      assertThat(alice.get("/cdr-files/17/content").statusCode()).isEqualTo(403);
    }
  }
}
