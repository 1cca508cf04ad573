package io.viaduct.webgui.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import io.viaduct.webgui.billing.Statement;
import io.viaduct.webgui.page.Display;
import java.net.http.HttpResponse;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openpdf.text.pdf.PdfReader;
import org.openpdf.text.pdf.parser.PdfTextExtractor;
import org.springframework.context.MessageSource;
import org.springframework.context.support.StaticMessageSource;
import tools.jackson.databind.json.JsonMapper;

class StatementPagesTest {
  private static final String PAGE = "/accounts/alice/statement";
  private Visitor alice;

  @BeforeEach
  void freshPeer() {
    var unused = RunningWebgui.freshPeer();
    alice = Visitor.alice();
  }

  @Test
  void theSumsLeadFromTheOpeningToTheClosingBalance() {
    String page = alice.get(PAGE + "?month=2026-10").body();
    assertThat(page)
        .contains(
            "data-testid=\"statement-opening\" data-microdenarii=\"1000000\"",
            "data-testid=\"statement-closing\" data-microdenarii=\"27750000\"",
            "data-kind=\"VOUCHER_REDEMPTION\"",
            "\u22120.250000\u00a0den",
            "Time zone of the days: UTC",
            "2026-11-20",
            "statement.pdf?month=2026-10");
    assertThat(alice.get(PAGE + "?month=nonsense").statusCode()).isEqualTo(200);
    assertThat(alice.get("/accounts/bob/statement").statusCode()).isEqualTo(403);
  }

  @Test
  void thePdfHasTheSameSumsAndSaysItsTimeZone() throws Exception {
    Statement statement = statement();
    MessageSource texts = RunningWebgui.part(MessageSource.class);
    byte[] pdf =
        new StatementPdf(texts, Locale.ENGLISH, new Display(ZoneId.of("UTC"))).write(statement);
    String text = text(pdf);
    assertThat(text)
        .contains("Statement 2026-11 of alice", "Time zone of the days: UTC")
        .contains("Opening balance", "1.000000", "Vouchers", "5.000000")
        .contains("Closing balance", "27.750000")
        .contains(
            "2026-11-20", "HT&HD", "2.200000", "0.300000", "0.150000", "0.050000", "0.100000");
    assertThat(new PdfReader(pdf).getInfo()).containsEntry("Title", "Statement alice 2026-11");
  }

  @ParameterizedTest
  @ValueSource(strings = {"it", "pl", "ko", "ja"})
  void eachLanguageOfThePagesHasADocumentInItsOwnLetters(String language) throws Exception {
    MessageSource texts = RunningWebgui.part(MessageSource.class);
    Locale locale = Locale.forLanguageTag(language);
    String text =
        text(new StatementPdf(texts, locale, new Display(ZoneId.of("UTC"))).write(statement()));
    // The reader sets a space where the font changes.
    assertThat(text.replaceAll("\\s", ""))
        .contains(
            texts
                .getMessage("statement.of", new Object[] {"2026-11", "alice"}, locale)
                .replaceAll("\\s", ""),
            texts.getMessage("statement.closing", null, locale).replaceAll("\\s", ""),
            texts.getMessage("charge.discount", null, locale).replaceAll("\\s", ""));
  }

  @Test
  void aLanguageWhoseLettersTheFontsLackGetsAnEnglishDocument() throws Exception {
    StaticMessageSource texts = new StaticMessageSource();
    texts.setParentMessageSource(RunningWebgui.part(MessageSource.class));
    Locale thai = Locale.forLanguageTag("th");
    texts.addMessage("statement.title", thai, "\u0e43\u0e1a");
    assertThat(
            text(new StatementPdf(texts, thai, new Display(ZoneId.of("UTC"))).write(statement())))
        .contains("Statement 2026-11 of alice");
  }

  @Test
  void filesAreServedAsAttachments() {
    HttpResponse<String> pdf = alice.get(PAGE + ".pdf?month=2026-10");
    assertThat(pdf.statusCode()).isEqualTo(200);
    assertThat(pdf.headers().map())
        .containsEntry("Content-Type", java.util.List.of("application/pdf"));
    assertThat(pdf.headers().firstValue("Content-Disposition").orElse(""))
        .isEqualTo("attachment; filename=\"viaduct-statement-alice-2026-10.pdf\"");
    assertThat(pdf.body()).startsWith("%PDF-");
    HttpResponse<String> csv = alice.get(PAGE + ".csv?month=2026-10");
    assertThat(csv.body()).startsWith("line,kind,balanceMicrodenarii");
    assertThat(alice.get("/accounts/bob/statement.pdf").statusCode()).isEqualTo(403);
  }

  @Test
  void theSignedReceiptsOfAMonthAreAFileAndTheRootsNeedNoLogIn() {
    var peer = RunningWebgui.freshPeer();
    alice = Visitor.alice();
    HttpResponse<String> file = alice.get(PAGE + ".jsonl?month=2026-10");
    assertThat(file.body()).isEqualTo(io.viaduct.webgui.StatementPeer.RECEIPTS);
    assertThat(file.headers().firstValue("Content-Disposition").orElse(""))
        .isEqualTo("attachment; filename=\"viaduct-statement-alice-2026-10.jsonl\"");
    assertThat(peer.asked).contains("from=2026-10-01&to=2026-10-31");
    assertThat(alice.get(PAGE).body())
        .contains("statement.jsonl?month=", "href=\"/statement-roots.json\"");
    assertThat(Visitor.anonymous().get("/statement-roots.json").body())
        .isEqualTo(io.viaduct.webgui.StatementPeer.ROOTS);
    assertThat(alice.get("/accounts/bob/statement.jsonl").statusCode()).isEqualTo(403);
  }

  private static Statement statement() {
    Map<?, ?> answer =
        JsonMapper.shared()
            .readValue(
                io.viaduct.webgui.StatementPeer.answer("/accounts/alice/statements/2026-11"),
                Map.class);
    return JsonMapper.shared().convertValue(answer, Statement.class);
  }

  private static String text(byte[] pdf) throws Exception {
    PdfReader reader = new PdfReader(pdf);
    PdfTextExtractor extractor = new PdfTextExtractor(reader);
    StringBuilder text = new StringBuilder();
    for (int page = 1; page <= reader.getNumberOfPages(); page++) {
      text.append(extractor.getTextFromPage(page)).append('\n');
    }
    return text.toString().replace('\u00a0', ' ');
  }
}
