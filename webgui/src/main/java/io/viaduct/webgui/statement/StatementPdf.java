package io.viaduct.webgui.statement;

import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.billing.Statement;
import io.viaduct.webgui.page.Display;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.openpdf.text.Document;
import org.openpdf.text.Element;
import org.openpdf.text.PageSize;
import org.openpdf.text.Paragraph;
import org.openpdf.text.Phrase;
import org.openpdf.text.Rectangle;
import org.openpdf.text.pdf.PdfPCell;
import org.openpdf.text.pdf.PdfPTable;
import org.openpdf.text.pdf.PdfWriter;
import org.springframework.context.MessageSource;

/// Writes a statement as PDF (A4), with OpenPDF and embedded fonts. In a language whose letters
/// they lack, the document is in English.
final class StatementPdf {
  private static final float MARGIN = 48;
  private static final float BETWEEN_PARTS = 16;
  private static final float BELOW_HEADING = 9;
  private static final float PADDING = 3;
  private static final List<String> LEFT = List.of("usage.day", "charge.class");
  private static final float[] SUM_WIDTHS = {3, 1, 2};
  private static final float[] DAY_WIDTHS = {2.2f, 1.4f, 1.2f, 2, 2, 2, 2, 2, 2};

  private final MessageSource texts;
  private final Display display;
  private final StatementFonts fonts;
  private final Locale locale;

  StatementPdf(MessageSource texts, Locale locale, Display display) throws IOException {
    this.texts = texts;
    this.display = display;
    fonts = new StatementFonts(locale);
    this.locale = hasLettersOf(locale) ? locale : Locale.ENGLISH;
  }

  // The headings of the table use the letters that its other texts use, too.
  private boolean hasLettersOf(Locale wanted) {
    return fonts.haveLettersOf(
        texts.getMessage("statement.title", null, wanted)
            + texts.getMessage("statement.closing", null, wanted)
            + texts.getMessage("charge.discount", null, wanted));
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
          new Paragraph(fonts.title(text("statement.of", statement.month(), statement.account()))));
      Paragraph span = new Paragraph(fonts.body(span(statement)));
      span.setSpacingAfter(BETWEEN_PARTS);
      document.add(span);
      document.add(sums(statement));
      if (!statement.charges().isEmpty()) {
        Paragraph heading = new Paragraph(fonts.bold(text("statement.charges")));
        heading.setSpacingBefore(BETWEEN_PARTS);
        heading.setSpacingAfter(BELOW_HEADING);
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
    sum(table, text("statement.opening"), "", statement.openingMicrodenarii(), fonts::bold);
    for (Statement.Movement movement : statement.movements()) {
      sum(
          table,
          kind(movement.kind()),
          display.whole(movement.count()),
          movement.amountMicrodenarii(),
          fonts::body);
    }
    sum(
        table,
        text("statement.charges"),
        display.whole(statement.total().count()),
        statement.total().netMicrodenarii().negated(),
        fonts::body);
    sum(table, text("statement.closing"), "", statement.closingMicrodenarii(), fonts::bold);
    return table;
  }

  private void sum(
      PdfPTable table,
      String name,
      String count,
      MicroDenarii amount,
      Function<String, Phrase> font) {
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
      cell(
          table,
          text(head),
          fonts::bold,
          LEFT.contains(head) ? Element.ALIGN_LEFT : Element.ALIGN_RIGHT);
    }
    table.setHeaderRows(1);
    for (Statement.DayCharges row : statement.charges()) {
      row(table, row.day(), display.serviceClass(row.serviceClass()), row, fonts::body);
    }
    row(table, text("usage.total"), "", statement.total(), fonts::bold);
    return table;
  }

  private void row(
      PdfPTable table,
      String day,
      String serviceClass,
      Statement.DayCharges sums,
      Function<String, Phrase> font) {
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

  private static void cell(
      PdfPTable table, String text, Function<String, Phrase> font, int alignment) {
    PdfPCell cell = new PdfPCell(font.apply(text));
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
