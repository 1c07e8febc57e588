<?xml version="1.0" encoding="utf-8"?>
<?AutomationStudio Version=4.12.2.65 SP?>
<Program SubType="IEC" xmlns="http://br-automation.co.at/AS/Program">
  <Files>
    <File Description="Cyclic code">Cyclic.st</File>
    <File Description="Local variables">Panel.var</File>
  </Files>
</Program>
