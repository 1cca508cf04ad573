package io.viaduct.webgui.statement;

import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.billing.Statement;
import io.viaduct.webgui.page.Display;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.openpdf.text.Document;
import org.openpdf.text.Element;
import org.openpdf.text.Font;
import org.openpdf.text.PageSize;
import org.openpdf.text.Paragraph;
import org.openpdf.text.Phrase;
import org.openpdf.text.Rectangle;
import org.openpdf.text.pdf.BaseFont;
import org.openpdf.text.pdf.PdfPCell;
import org.openpdf.text.pdf.PdfPTable;
import org.openpdf.text.pdf.PdfWriter;
import org.springframework.context.MessageSource;

/// Writes a statement as PDF (A4), with OpenPDF and embedded Liberation fonts. They have the
/// letters of Europe; in a language that needs others, the document is in English.
final class StatementPdf {
  private static final float MARGIN = 48;
  private static final float TITLE = 16;
  private static final float BODY = 9;
  private static final float PADDING = 3;
  private static final List<String> LEFT = List.of("usage.day", "charge.class");
  private static final float[] SUM_WIDTHS = {3, 1, 2};
  private static final float[] DAY_WIDTHS = {2.2f, 1.4f, 1.2f, 2, 2, 2, 2, 2, 2};

  private final MessageSource texts;
  private final Display display;
  private final BaseFont letters;
  private final Font body;
  private final Font bold;
  private final Font title;
  private final Locale locale;

  StatementPdf(MessageSource texts, Locale locale, Display display) throws IOException {
    this.texts = texts;
    this.display = display;
    letters = font("LiberationSans-Regular.ttf");
    body = new Font(letters, BODY);
    BaseFont strong = font("LiberationSans-Bold.ttf");
    bold = new Font(strong, BODY);
    title = new Font(strong, TITLE);
    this.locale = hasLettersOf(locale) ? locale : Locale.ENGLISH;
  }

  private static BaseFont font(String name) throws IOException {
    return BaseFont.createFont("liberation/" + name, BaseFont.IDENTITY_H, BaseFont.EMBEDDED);
  }

  // The headings of the table use the letters that its other texts use, too.
  private boolean hasLettersOf(Locale wanted) {
    return (texts.getMessage("statement.title", null, wanted)
            + texts.getMessage("statement.closing", null, wanted)
            + texts.getMessage("charge.discount", null, wanted))
        .chars()
        .allMatch(letters::charExists);
  }

  /// Returns the document.
  byte[] write(Statement statement) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Document document = new Document(PageSize.A4, MARGIN, MARGIN, MARGIN, MARGIN)) {
      PdfWriter.getInstance(document, bytes);
      document.setDocumentLanguage(locale.toLanguageTag());
      document.addTitle(
          text("statement.title") + " " + statement.account() + " " + statement.month());
      document.addCreator("Viaduct");
      document.open();
      document.add(
          new Paragraph(text("statement.of", statement.month(), statement.account()), title));
      Paragraph span = new Paragraph(span(statement), body);
      span.setSpacingAfter(TITLE);
      document.add(span);
      document.add(sums(statement));
      if (!statement.charges().isEmpty()) {
        Paragraph heading = new Paragraph(text("statement.charges"), bold);
        heading.setSpacingBefore(TITLE);
        heading.setSpacingAfter(BODY);
        document.add(heading);
        document.add(days(statement));
      }
    }
    return bytes.toByteArray();
  }

  private String span(Statement statement) {
    return text(
        statement.isWhole() ? "statement.span" : "statement.span.open",
        display.time(statement.from()),
        display.time(statement.to()),
        statement.zone());
  }

  private PdfPTable sums(Statement statement) {
    PdfPTable table = table(SUM_WIDTHS);
    sum(table, text("statement.opening"), "", statement.openingMicrodenarii(), bold);
    for (Statement.Movement movement : statement.movements()) {
      sum(
          table,
          kind(movement.kind()),
          display.whole(movement.count()),
          movement.amountMicrodenarii(),
          body);
    }
    sum(
        table,
        text("statement.charges"),
        display.whole(statement.total().count()),
        statement.total().netMicrodenarii().negated(),
        body);
    sum(table, text("statement.closing"), "", statement.closingMicrodenarii(), bold);
    return table;
  }

  private void sum(PdfPTable table, String name, String count, MicroDenarii amount, Font font) {
    cell(table, name, font, Element.ALIGN_LEFT);
    cell(table, count, font, Element.ALIGN_RIGHT);
    cell(table, display.exact(amount), font, Element.ALIGN_RIGHT);
  }

  private PdfPTable days(Statement statement) {
    PdfPTable table = table(DAY_WIDTHS);
    for (String head :
        List.of(
            "usage.day",
            "charge.class",
            "usage.charges",
            "charge.amount",
            "charge.discount",
            "charge.accessfee",
            "statement.surcharge",
            "statement.refund",
            "charge.net")) {
      cell(table, text(head), bold, LEFT.contains(head) ? Element.ALIGN_LEFT : Element.ALIGN_RIGHT);
    }
    table.setHeaderRows(1);
    for (Statement.DayCharges row : statement.charges()) {
      row(table, row.day(), display.serviceClass(row.serviceClass()), row, body);
    }
    row(table, text("usage.total"), "", statement.total(), bold);
    return table;
  }

  private void row(
      PdfPTable table, String day, String serviceClass, Statement.DayCharges sums, Font font) {
    cell(table, day, font, Element.ALIGN_LEFT);
    cell(table, serviceClass, font, Element.ALIGN_LEFT);
    cell(table, display.whole(sums.count()), font, Element.ALIGN_RIGHT);
    for (MicroDenarii amount :
        List.of(
            sums.chargeMicrodenarii(),
            sums.discountMicrodenarii(),
            sums.accessFeeMicrodenarii(),
            sums.surchargeMicrodenarii(),
            sums.promiseRefundMicrodenarii(),
            sums.netMicrodenarii())) {
      cell(table, amount.denarii(), font, Element.ALIGN_RIGHT);
    }
  }

  private static PdfPTable table(float[] widths) {
    PdfPTable table = new PdfPTable(widths.length);
    table.setWidths(widths);
    table.setWidthPercentage(100);
    return table;
  }

  private static void cell(PdfPTable table, String text, Font font, int alignment) {
    PdfPCell cell = new PdfPCell(new Phrase(text, font));
    cell.setHorizontalAlignment(alignment);
    cell.setBorder(Rectangle.BOTTOM);
    cell.setBorderWidth(0.5f);
    cell.setPadding(PADDING);
    table.addCell(cell);
  }

  // A kind of a later version of billing has no text yet.
  private String kind(String kind) {
    return String.valueOf(texts.getMessage("statement.kind." + kind, null, kind, locale));
  }

  private String text(String key, Object... values) {
    return texts.getMessage(key, values.length == 0 ? null : values, locale);
  }
}
